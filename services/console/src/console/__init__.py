"""The operators' console: pages and admin API."""

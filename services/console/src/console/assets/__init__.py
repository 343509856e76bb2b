"""Uploaded videos and their way through the fleet."""

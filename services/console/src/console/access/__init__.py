"""Who may come in, and what a browser may do."""

"""Programs that a scenario starts beside the fleet."""

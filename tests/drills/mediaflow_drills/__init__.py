"""Drills: each makes one alert fire on a real fleet, and ends what made it fire."""

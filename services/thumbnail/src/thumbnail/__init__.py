"""Poster, sprite sheet and storyboard of a video."""

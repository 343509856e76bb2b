"""HLS ladder of a video, made in one decode."""

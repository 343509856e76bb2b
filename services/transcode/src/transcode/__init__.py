"""HLS renditions of a video, in one decode."""

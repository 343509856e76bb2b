"""WebVTT subtitles from embedded tracks or recognised speech."""

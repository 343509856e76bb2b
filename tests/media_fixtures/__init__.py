"""Test inputs: every kind of file that people send, made with ffmpeg once and kept.

In a test folder's conftest.py (two folders below tests/)::

    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from media_fixtures.plugin import media_fixtures, silent_listener  # noqa: E402, F401

and in a test ``media_fixtures["rotated"]`` is the file's path; the names are the keys of
`media_fixtures.recipes.RECIPES`. `media_fixtures.dressed` writes playlists dressed as videos. From tests/,
``python -m media_fixtures FOLDER [NAME ...]`` makes them for looking at.
"""

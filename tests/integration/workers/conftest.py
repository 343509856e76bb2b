import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from media_fixtures.plugin import media_fixtures, silent_listener  # noqa: F401

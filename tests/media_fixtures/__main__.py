"""Makes the inputs in a folder for looking at: ``python -m media_fixtures FOLDER [NAME ...]``."""

import shutil
import sys
from pathlib import Path

from media_fixtures.cache import FixtureCache
from media_fixtures.recipes import RECIPES

if __name__ == "__main__":
    folder, names = Path(sys.argv[1]), sys.argv[2:] or list(RECIPES)
    folder.mkdir(parents=True, exist_ok=True)
    cache = FixtureCache()
    for name in names:
        print(shutil.copy(cache[name], folder))

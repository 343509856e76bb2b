"""The replayer: ``python -m replayer``."""

import sys

from replayer.cli import main

if __name__ == "__main__":
    sys.exit(main())

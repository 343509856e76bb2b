"""The planner's command line: ``python -m console.planner``."""

import sys

from console.planner.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""What runs on a cluster is a program, not a package that is installed."""

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[2]
sys.path[:0] = [str(_TESTS / "k8s"), str(_TESTS / "chaos")]

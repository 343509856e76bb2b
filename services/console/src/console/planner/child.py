"""Answers one question in a process of its own: `python -m console.planner.child`, JSON in, JSON out.

Simulating takes a processor for seconds. The console's own process has pages to serve meanwhile, and a process is
easily ended when nobody waits for its answer any more.
"""

import os
import sys
from dataclasses import dataclass

from pydantic import TypeAdapter
from pydantic_core import to_json

from console.planner.measured import Measured
from console.planner.plan import plan
from console.planner.question import Question
from console.planner.wire import plan_json

#: The fleet goes first.
_NICENESS = 5


@dataclass(frozen=True, slots=True)
class Order:
    """What a child is told. ``budget_s``: seconds of real time for the search."""

    measured: Measured
    question: Question
    budget_s: float = 6.0


ORDER: TypeAdapter[Order] = TypeAdapter(Order)


def main() -> int:
    """Read an order, write the plan."""
    os.nice(_NICENESS)
    order = ORDER.validate_json(sys.stdin.buffer.read())
    answer = plan(order.measured, order.question, budget_s=order.budget_s)
    sys.stdout.buffer.write(to_json(plan_json(answer)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

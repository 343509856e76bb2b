"""How a replay ended, for people and for programs."""

import sys
from typing import Any

from mq_common.channels import ChannelSpec
from mq_common.replay_rules import ReplayPlan
from mq_common.replay_tally import Tally


def left_by_reason(plan: ReplayPlan, tally: Tally) -> dict[str, int]:
    """Name why messages that were looked at are still there, with their numbers. Pure."""
    reasons = {
        "not selected": tally.not_selected,
        "not dead for long enough": tally.too_young,
        f"replayed {plan.selection.max_replays} times already": tally.over_limit,
        "rejected again meanwhile": tally.came_back,
        "refused by the queue": tally.refused,
        "without an answer, maybe there twice": tally.unsure,
        "chosen, but not sent any more": 0 if plan.dry_run else tally.selected - tally.moved - tally.failed,
        "not looked at": tally.depth - tally.seen,
    }
    return {reason: count for reason, count in reasons.items() if count}


def summary_as_json(
    spec: ChannelSpec, plan: ReplayPlan, tally: Tally, *, seconds: float, stopped: bool
) -> dict[str, Any]:
    """Give the summary for programs. ``seconds``: how long the run took."""
    return {
        "channel": spec.name,
        "queue": spec.queue,
        "dryRun": plan.dry_run,
        "depth": tally.depth,
        "seen": tally.seen,
        "selected": tally.selected,
        "moved": tally.moved,
        "notSelected": tally.not_selected,
        "tooYoung": tally.too_young,
        "overMaxReplays": tally.over_limit,
        "cameBack": tally.came_back,
        "refused": tally.refused,
        "unsure": tally.unsure,
        "unmarked": tally.unmarked,
        "stopped": stopped,
        "trouble": tally.trouble,
        "seconds": round(seconds, 3),
    }


def print_summary(spec: ChannelSpec, plan: ReplayPlan, tally: Tally, *, seconds: float, stopped: bool) -> None:
    """Say it in a few lines; what went wrong on standard error."""
    say = sys.stdout.write
    if tally.depth == 0:
        say(f"{spec.dead_letter_queue} {'was not looked at' if stopped else 'is empty'}\n")
        return
    if plan.dry_run:
        say(f"{spec.name}: {tally.selected} of {tally.depth} would move to {spec.queue}; nothing was moved\n")
    else:
        pace = f", {tally.moved / seconds:.0f}/s" if seconds >= 1 and tally.moved else ""
        say(f"{spec.name}: {tally.moved} of {tally.depth} moved to {spec.queue} in {seconds:.1f} s{pace}\n")
    for reason, count in left_by_reason(plan, tally).items():
        say(f"  {count} left: {reason}\n")
    if tally.unmarked:
        sys.stderr.write(f"replayer: {tally.unmarked} assets still show their old failure: the store took no note\n")
    if stopped:
        say("  stopped before the end; what is left can be replayed\n")
    if tally.trouble:
        sys.stderr.write(f"replayer: {tally.trouble}; those messages stay in {spec.dead_letter_queue}\n")

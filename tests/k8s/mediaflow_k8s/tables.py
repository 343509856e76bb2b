"""Tables for people. Pure."""

from collections.abc import Mapping, Sequence

from mediaflow_k8s.timeline import Moment, thinned

_EVERY_S = 10.0


def scaling_table(moments: Sequence[Moment], every_s: float = _EVERY_S) -> str:
    """Show workers and queue over time."""
    rows = [("after", "wanted", "running", "ready", "messages")]
    for moment in thinned(moments, every_s):
        messages = "" if moment.messages is None else str(moment.messages)
        rows.append((f"{moment.at_s:.0f} s", str(moment.wanted), str(moment.running), str(moment.ready), messages))
    return aligned(rows)


def depth_table(depths: Mapping[str, Mapping[str, int]]) -> str:
    """Show queues as `rabbitmqctl list_queues` does; `depths` by queue: messages, unacked, consumers."""
    rows = [("name", "messages", "unacked", "consumers")]
    for name, depth in sorted(depths.items()):
        rows.append((name, str(depth["total"]), str(depth["unacked"]), str(depth["consumers"])))
    return aligned(rows)


def summary(verdicts: Mapping[str, bool | None]) -> str:
    """Say how steps went, by name; None: not played, and that is no pass."""
    named = {which: [name for name, verdict in verdicts.items() if verdict is which] for which in (True, False, None)}
    said = f"{len(named[True])} of {len(named[True]) + len(named[False])} passed"
    for what, names in (("failed", named[False]), ("not played here", named[None])):
        said += f"; {what}: {', '.join(names)}" if names else ""
    return said


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Lay rows out in columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )

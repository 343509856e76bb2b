"""Plans and figures as JSON: what the page, the command line and the admin API tell, in one form. Pure."""

from dataclasses import fields, is_dataclass
from typing import Any

from console.planner.measured import Measured
from console.planner.plan import Plan


def plan_json(plan: Plan) -> dict[str, Any]:
    """Give a whole plan. Times and durations in seconds, rates in messages a second, names in camelCase."""
    answer = _plain(plan)
    points = plan.forecast.points
    answer["forecast"]["points"] = {
        "at": [point.at for point in points],
        "ready": [point.ready for point in points],
        "unacked": [point.unacked for point in points],
        "lag": [round(point.lag_s, 2) for point in points],
        "workers": [point.workers for point in points],
    }
    return dict(answer)


def measured_json(measured: Measured) -> dict[str, Any]:
    """Give the figures of a channel, without the distributions behind them."""
    values = {
        field.name: getattr(measured, field.name) for field in fields(measured) if field.name not in {"jobs", "starts"}
    }
    return dict(_plain(values | {"job_variation": measured.jobs.good.variation, "slow_job": measured.jobs.slow_s}))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(field.name): _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {_camel(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return round(value, 6) if isinstance(value, float) else value


def _camel(name: str) -> str:
    first, *others = name.removesuffix("_s").split("_")
    return first + "".join(word.capitalize() for word in others)

"""Plays one scenario on a fleet and gives the verdict."""

import time
import traceback

from mediaflow_scenarios.catalogue import SCENARIOS
from mediaflow_scenarios.fleet import ScenarioFleet
from mediaflow_scenarios.page import Page
from mediaflow_scenarios.sizes import Sizes
from mediaflow_scenarios.stage import Stage
from mediaflow_scenarios.verdict import Verdict


def play(number: str, fleet: ScenarioFleet, sizes: Sizes, page: Page) -> Verdict:
    """Play scenario `number`; whatever goes wrong is in the verdict."""
    scenario = SCENARIOS[number]
    verdict = Verdict(number, scenario.title)
    page.title(f"Scenario {number}: {scenario.title}")
    began = time.monotonic()
    try:
        fleet.begin_anew()
        scenario.run(Stage(fleet, sizes, page, verdict))
    except Exception as error:
        verdict.error = f"{type(error).__name__}: {error}"
        page.say(traceback.format_exc())
    verdict.seconds = round(time.monotonic() - began, 1)
    page.say(f"\n{verdict.line()}  [{verdict.seconds:.0f} s]")
    return verdict

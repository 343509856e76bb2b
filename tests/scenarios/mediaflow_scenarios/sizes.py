"""How much of everything: as in the article, or as little as still shows it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Counts of assets, and seconds."""

    #: Scenario 2: assets of the burst; seconds between two rows of the table; cool-down of the autoscaler.
    slow_burst: int
    look_every_s: float
    cooldown_s: float
    #: Scenario 3: assets, a tenth of which fails.
    flaky_burst: int
    #: Scenario 4: innocent messages behind the one that crashes; whether to wait for the asset's own word.
    neighbours: int
    await_last_word: bool
    #: Scenario 5: seconds of storm.
    storm_s: float
    #: Scenario 6: uploads, a tenth of which fails; dead letters in the first replay.
    replay_uploads: int
    replayed_first: int
    #: Scenario 7: assets of the burst, and uploads one by one.
    paused_burst: int
    paused_uploads: int


#: The article's.
FULL = Sizes(
    slow_burst=2000,
    look_every_s=5.0,
    cooldown_s=20.0,
    flaky_burst=2000,
    neighbours=8,
    await_last_word=True,
    storm_s=15.0,
    replay_uploads=300,
    replayed_first=5,
    paused_burst=2800,
    paused_uploads=200,
)

#: For tests, and for a look in a hurry.
QUICK = Sizes(
    slow_burst=240,
    look_every_s=2.0,
    cooldown_s=3.0,
    flaky_burst=120,
    neighbours=3,
    await_last_word=False,
    storm_s=3.0,
    replay_uploads=100,
    replayed_first=3,
    paused_burst=120,
    paused_uploads=20,
)

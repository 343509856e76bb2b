"""The lessons of the page: each is one click, says what to watch, and is what a test of the engine proves."""

from dataclasses import dataclass

from flask_babel import lazy_gettext as _
from flask_babel.speaklater import LazyString

from console.simulator.controls import Controls
from console.simulator.run import Cue


@dataclass(frozen=True, slots=True)
class Watch:
    """A number to watch and what it will do."""

    field: str
    text: LazyString


@dataclass(frozen=True, slots=True)
class Preset:
    """One click: controls, what happens by itself, and the words for it."""

    name: str
    title: LazyString
    text: LazyString
    watch: tuple[Watch, ...]
    controls: Controls
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A subject and its presets."""

    title: LazyString
    presets: tuple[Preset, ...]


_QUIET = Controls(rate=9, consumers=2, minimum=2)
_BUSY = Controls(rate=72, consumers=6)
_POISONED = Controls(rate=12, consumers=6)

LESSONS = (
    Lesson(
        _("Depth and lag"),
        (
            Preset(
                "keeping-up",
                _("Keeping up"),
                _(
                    "Four producers send 24 messages a second, and six consumers could take 36. Each message is taken "
                    "the moment it arrives."
                ),
                (
                    Watch("depth", _("The queue stays all but empty.")),
                    Watch("lag_s", _("Lag, the age of the oldest waiting message, stays near zero.")),
                ),
                Controls(),
            ),
            Preset(
                "too-much",
                _("Too much"),
                _(
                    "After four seconds producers send 48 messages a second, twelve more than six consumers can take. "
                    "That is the whole story of most incidents with queues."
                ),
                (
                    Watch("depth", _("Depth climbs by twelve messages a second.")),
                    Watch("lag_s", _("Lag climbs with it: who comes last waits for all before.")),
                    Watch("out_per_s", _("Consumers give all they can, and no more.")),
                ),
                Controls(),
                (Cue(4.0, controls={"rate": 48.0}),),
            ),
        ),
    ),
    Lesson(
        _("Back-pressure or dropping"),
        (
            Preset(
                "back-pressure",
                _("Back-pressure"),
                _(
                    "A bounded queue has to do something when it fills up. Above 70%, producers are slowed in "
                    "proportion to the room that is left: the pressure flows upstream, where a caller can wait, shed "
                    "load or answer 429. Choose which in “When the queue fills up”."
                ),
                (
                    Watch("throttle", _("From 210 messages on, producers are slowed.")),
                    Watch("depth", _("Depth comes to rest below 300.")),
                    Watch("dropped", _("Nothing is dropped.")),
                ),
                _BUSY,
            ),
            Preset(
                "dropping",
                _("Dropping"),
                _(
                    "Nothing is slowed: the queue fills to its capacity, and new messages fall to the ground. Neither "
                    "way is free, but only one of them is a decision that you made."
                ),
                (
                    Watch("depth", _("Depth reaches 300 and stays there.")),
                    Watch("dropped", _("From then on every message for which there is no place is lost.")),
                    Watch("throttle", _("No producer ever notices.")),
                ),
                _BUSY.model_copy(update={"back_pressure": False}),
            ),
        ),
    ),
    Lesson(
        _("Scaling by queue length"),
        (
            Preset(
                "keda",
                _("KEDA and a spike"),
                _(
                    "Consumers wanted = ⌈(waiting + in process) / 15⌉, up to your maximum. They are asked for at once "
                    "but take 2.5 s to start. The spike comes after six seconds."
                ),
                (
                    Watch("wanted", _("Consumers wanted follow the queue at once.")),
                    Watch("lag_s", _("Lag jumps first, and recovers when the new consumers have started.")),
                    Watch("running", _("They go only after five seconds of calm.")),
                ),
                _QUIET.model_copy(update={"scaling": "keda"}),
                (Cue(6.0, action="spike"),),
            ),
            Preset(
                "patient",
                _("Cool-down"),
                _(
                    "Messages come in gusts: two seconds of much, three of nothing. With a cool-down of five seconds "
                    "consumers stay over each short calm. Set the cool-down to zero and see them flap."
                ),
                (
                    Watch("running", _("The number of consumers settles.")),
                    Watch("lag_s", _("Lag rises in each gust and is gone before the next.")),
                ),
                Controls(pattern="gusts", scaling="keda", minimum=2),
            ),
            Preset(
                "flapping",
                _("No cool-down"),
                _(
                    "The same gusts with a cool-down of zero: consumers are sent away in each calm and have to start "
                    "anew in each gust."
                ),
                (
                    Watch("running", _("The number of consumers goes up and down all the time.")),
                    Watch("starting", _("Some are always starting, and of no use meanwhile.")),
                    Watch("lag_s", _("Lag is higher, although no consumer-second was saved.")),
                ),
                Controls(pattern="gusts", scaling="keda", minimum=2, cooldown=0),
            ),
            Preset(
                "cpu",
                _("CPU instead"),
                _(
                    "Two consumers that wait for I/O most of the time, and an autoscaler that looks at CPU and aims at "
                    "50%. The spike comes after six seconds."
                ),
                (
                    Watch("cpu", _("CPU hardly moves: a consumer that is busy waiting uses none.")),
                    Watch("wanted", _("So two consumers are all that is ever wanted.")),
                    Watch("lag_s", _("And lag climbs for as long as anybody cares to look.")),
                ),
                _QUIET.model_copy(update={"scaling": "cpu"}),
                (Cue(6.0, action="spike"),),
            ),
        ),
    ),
    Lesson(
        _("Retries, poison, dead letters"),
        (
            Preset(
                "transient",
                _("Wavering downstream"),
                _(
                    "One try in five fails for a reason that passes. The message waits 0.25 s and comes back to the "
                    "end of the queue; the second try mostly succeeds."
                ),
                (
                    Watch("retries", _("Messages go round the loop.")),
                    Watch("second_try", _("Most second tries succeed.")),
                    Watch("dead", _("Hardly anything becomes a dead letter.")),
                ),
                Controls(transient=0.2),
            ),
            Preset(
                "poison",
                _("Poison, three retries"),
                _(
                    "After four seconds come six messages that never succeed: each hangs for 1.2 s and fails. They "
                    "come back after 0.25, 0.5 and 1 s; the fourth failed try makes them dead letters, which a human "
                    "can look at later."
                ),
                (
                    Watch("busy_on_poison", _("Consumers hang on poison, but not for long.")),
                    Watch("dead", _("After four tries all six are dead letters.")),
                    Watch("lag_s", _("Then everything is as before.")),
                ),
                _POISONED,
                (Cue(4.0, action="poison"),),
            ),
            Preset(
                "poison-for-ever",
                _("Poison, for ever"),
                _(
                    "The same six messages, and nobody gives up: they go round for ever, with a back-off of one second "
                    "from the third retry on. Six of them are enough to keep half of the consumers busy with nothing."
                ),
                (
                    Watch("busy_on_poison", _("About half of the six consumers hang on poison, at any time.")),
                    Watch(
                        "poison_time", _("Of the consumers’ time in the last ten seconds, so much went into nothing.")
                    ),
                    Watch("dead", _("No dead letter says why.")),
                ),
                _POISONED.model_copy(update={"endless": True}),
                (Cue(4.0, action="poison"),),
            ),
        ),
    ),
)

PRESETS = {preset.name: preset for lesson in LESSONS for preset in lesson.presets}

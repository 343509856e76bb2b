"""Describes the renditions for result.json, from which the multivariant playlist is put together. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from transcode.arguments import PLAYLIST, Plan
from transcode.made import Made
from transcode.sound import AudioRendition

#: Name of the one audio group that all pictures share.
GROUP = "audio"


def describe(plan: Plan, made: Mapping[str, Made]) -> dict[str, Any]:
    """Give the ``details`` of the result: the length in seconds, and ``hls`` as media_common.hls reads it."""
    sounds = [sound for sound in plan.sounds if sound.folder in made]
    if plan.pictures:
        variants = _picture_variants(plan, made, sounds)
    else:
        variants = [_variant(sounds[0].folder, made[sounds[0].folder], None, GROUP if len(sounds) > 1 else None)]
    grouped = sounds if variants[0]["audio"] else []
    return {
        "durationSec": round(max(rendition.seconds for rendition in made.values()), 3),
        "hls": {
            "variants": variants,
            "audio": [_audio(sound, made[sound.folder], default=sound is sounds[0]) for sound in grouped],
        },
    }


def _picture_variants(plan: Plan, made: Mapping[str, Made], sounds: Sequence[AudioRendition]) -> list[dict[str, Any]]:
    group = GROUP if sounds else None
    variants = []
    for picture in plan.pictures:
        variant = _variant(picture.name, made[picture.name], _heaviest(sounds, made), group)
        variants.append({**variant, "frameRate": round(float(plan.frame_rate), 3)})
    return variants


def _variant(folder: str, rendition: Made, sound: Made | None, group: str | None) -> dict[str, Any]:
    rates = rendition.rates + sound.rates if sound else rendition.rates
    init = rendition.init
    return {
        "uri": f"{folder}/{PLAYLIST}",
        "bandwidth": rates.peak,
        "averageBandwidth": rates.average,
        "codecs": ",".join([init.codec, sound.init.codec] if sound else [init.codec]),
        "resolution": f"{init.width}x{init.height}" if init.width else None,
        "frameRate": None,
        "audio": group,
    }


def _heaviest(sounds: Sequence[AudioRendition], made: Mapping[str, Made]) -> Made | None:
    # A variant's bandwidth has to cover any sound a viewer may choose with it.
    return max((made[sound.folder] for sound in sounds), key=lambda sound: sound.rates.peak, default=None)


def _audio(sound: AudioRendition, rendition: Made, *, default: bool) -> dict[str, Any]:
    return {
        "uri": f"{sound.folder}/{PLAYLIST}",
        "name": sound.name,
        "language": sound.language,
        "default": default,
        "channels": rendition.init.channels,
    }

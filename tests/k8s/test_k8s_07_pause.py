"""Paused by the console: the door stays open, the queues take it, nothing is lost, and it goes on afterwards."""

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import until
from mediaflow_k8s.own_values import CHANNELS

_ASSETS = 100


def test_paused_workers_take_nothing_while_uploads_go_on_and_resumed_ones_do_it_all(mediaflow: Installation) -> None:
    fewest = {channel: mediaflow.fewest_workers(channel) for channel in CHANNELS}
    mediaflow.console.pause()
    try:
        for channel in CHANNELS:
            mediaflow.await_workers(channel, 0)
        answer = mediaflow.door.burst(_ASSETS)
        assert answer["status"] == 202, answer
        waiting = until(lambda: _absorbed(mediaflow), "what waits", mediaflow.parameters.limit(60))
        assert waiting == dict.fromkeys(CHANNELS, _ASSETS)
        assert {each["name"]: each["working"] for each in mediaflow.console.queues()} == dict.fromkeys(CHANNELS, 0)
    finally:
        mediaflow.console.resume()

    for channel in CHANNELS:
        until(
            lambda channel=channel: mediaflow.workers(channel)["status"].get("readyReplicas", 0) >= fewest[channel],
            f"workers of {channel}",
            mediaflow.parameters.limit(120),
        )
    assert mediaflow.await_drained(300), mediaflow.depths()


def _absorbed(mediaflow: Installation) -> dict[str, int] | None:
    depths = mediaflow.depths()
    found = {channel: depths[channel] for channel in CHANNELS}
    return found if min(found.values()) >= _ASSETS else None

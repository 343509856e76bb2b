"""A channel on Kubernetes: its Deployment, its ScaledObject where KEDA scales it, and what changes them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from console.control.fleet_control import MOST_WORKERS, ChannelWorkers, WorkerReading
from console.control.kube_names import (
    BEFORE_PAUSE,
    CHANNEL,
    HELD_BEFORE_PAUSE,
    KEDA_PAUSED,
    KEDA_PAUSED_REPLICAS,
    MAXIMUM,
    MINIMUM,
)
from console.control.kube_workers import read_worker

#: What KEDA takes where a ScaledObject says nothing.
_KEDA_FEWEST, _KEDA_MOST = 0, 100

#: Of a worker that did not answer.
_UNTOLD = WorkerReading()

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """A merge patch of one object, valid only for the version that was read."""

    group: str
    resource: str
    name: str
    patch: dict[str, Any]


@dataclass(frozen=True, slots=True)
class KubeChannel:
    """One channel's objects as they were read."""

    deployment: Json
    scaled_object: Json | None

    @property
    def name(self) -> str:
        """The channel."""
        return str(self.deployment["metadata"]["labels"][CHANNEL])

    @property
    def replicas(self) -> int:
        """Workers that the Deployment is told to run."""
        return int(self.deployment["spec"].get("replicas", 1))

    @property
    def held_at(self) -> int | None:
        """Where KEDA was told to hold the channel; None while it scales by the queue."""
        notes = _notes(self.scaled_object)
        number = _number(notes.get(KEDA_PAUSED_REPLICAS))
        if number is not None:
            return number
        return self.replicas if notes.get(KEDA_PAUSED, "").lower() == "true" else None

    @property
    def paused(self) -> bool:
        """Whether nothing is taken from the queue until somebody resumes it."""
        if self.scaled_object is not None:
            return self.held_at == 0
        return self.replicas == 0 and BEFORE_PAUSE in _notes(self.deployment)

    def view(self, pods: Iterable[Json], readings: Mapping[str, WorkerReading]) -> ChannelWorkers:
        """Give the channel with its workers, and what they told of themselves."""
        scaled = self.scaled_object is not None
        fewest, most = self._bounds()
        told = ((pod, readings.get(pod["metadata"]["name"], _UNTOLD)) for pod in pods)
        workers = (read_worker(pod, reading.memory_bytes) for pod, reading in told)
        return ChannelWorkers(
            name=self.name,
            workers=tuple(sorted(workers, key=lambda worker: worker.name)),
            wanted=self._wanted(fewest),
            minimum=fewest,
            maximum=most,
            paused=self.paused,
            scaled_by="keda" if scaled else "hand",
            held=scaled and self.held_at is not None and (not self.paused or self._held_before is not None),
        )

    def pause(self) -> Change | None:
        """Run none until resumed. None: it is paused already."""
        if self.paused:
            return None
        if self.scaled_object is not None:
            held = self.held_at
            return self._annotate({KEDA_PAUSED_REPLICAS: "0", HELD_BEFORE_PAUSE: None if held is None else str(held)})
        return self._deploy(0, before_pause=self.replicas)

    def resume(self, *, by_name: bool) -> Change | None:
        """Go on as before the pause; give a held channel back to KEDA if it was named. None: nothing to do."""
        if self.scaled_object is not None:
            if self.held_at is None or not (self.paused or by_name):
                return None
            held = self._held_before if self.paused else None
            number = None if held is None else str(held)
            return self._annotate({KEDA_PAUSED_REPLICAS: number, KEDA_PAUSED: None, HELD_BEFORE_PAUSE: None})
        return self._deploy(self._before_pause or 0, before_pause=None) if self.paused else None

    def scale(self, count: int) -> Change:
        """Run `count`; beside KEDA hold it there; paused, go on with it once resumed."""
        if self.scaled_object is None:
            return self._deploy(0, before_pause=count) if self.paused else self._deploy(count, before_pause=None)
        if self.paused and count:
            return self._annotate({HELD_BEFORE_PAUSE: str(count)})
        return self._annotate({KEDA_PAUSED_REPLICAS: str(count), HELD_BEFORE_PAUSE: None})

    @property
    def _before_pause(self) -> int | None:
        return _number(_notes(self.deployment).get(BEFORE_PAUSE))

    @property
    def _held_before(self) -> int | None:
        return _number(_notes(self.scaled_object).get(HELD_BEFORE_PAUSE))

    def _wanted(self, fewest: int) -> int:
        if not self.paused:
            return self.replicas if self.held_at is None else self.held_at
        before = self._held_before if self.scaled_object is not None else self._before_pause
        return fewest if before is None else before

    def _bounds(self) -> tuple[int, int]:
        if self.scaled_object is not None:
            spec = self.scaled_object["spec"]
            return int(spec.get("minReplicaCount", _KEDA_FEWEST)), int(spec.get("maxReplicaCount", _KEDA_MOST))
        notes = _notes(self.deployment)
        fewest, most = _number(notes.get(MINIMUM)), _number(notes.get(MAXIMUM))
        return fewest or 0, MOST_WORKERS if most is None else most

    def _annotate(self, notes: dict[str, str | None]) -> Change:
        assert self.scaled_object is not None  # noqa: S101 - callers looked
        return _change("keda.sh", "scaledobjects", self.scaled_object, notes, {})

    def _deploy(self, replicas: int, *, before_pause: int | None) -> Change:
        notes = {BEFORE_PAUSE: None if before_pause is None else str(before_pause)}
        return _change("apps", "deployments", self.deployment, notes, {"spec": {"replicas": replicas}})


def read_channels(deployments: Iterable[Json], scaled_objects: Iterable[Json]) -> dict[str, KubeChannel]:
    """Put Deployments and ScaledObjects together by the scale target, by channel name in alphabetical order."""
    scalers = {_target(each): each for each in scaled_objects}
    channels = (KubeChannel(each, scalers.get(each["metadata"]["name"])) for each in deployments if _is_channel(each))
    return {channel.name: channel for channel in sorted(channels, key=lambda channel: channel.name)}


def _is_channel(deployment: Json) -> bool:
    return CHANNEL in deployment["metadata"].get("labels", {})


def _target(scaled_object: Json) -> str | None:
    target = scaled_object["spec"]["scaleTargetRef"]
    return target["name"] if target.get("kind", "Deployment") == "Deployment" else None


def _change(group: str, resource: str, read: Json, notes: Mapping[str, str | None], rest: dict[str, Any]) -> Change:
    metadata = {"annotations": dict(notes)}
    version = {"resourceVersion": read["metadata"]["resourceVersion"]}
    return Change(group, resource, read["metadata"]["name"], {"metadata": version | metadata} | rest)


def _notes(read: Json | None) -> Mapping[str, str]:
    return (read or {}).get("metadata", {}).get("annotations") or {}


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None

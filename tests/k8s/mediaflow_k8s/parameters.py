"""What a run on a cluster is told, by variables: `make test-k8s REGISTRY=… TAG=… BURST=120`."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Number = TypeVar("Number", int, float)

ROOT = Path(__file__).resolve().parents[3]
CHART = ROOT / "charts" / "mediaflow"
_CLIP = ROOT / "libs" / "local_fleet" / "src" / "local_fleet" / "clips" / "speech_clip.mp4"


class Missing(Exception):
    """Something that the run needs is not there, or a variable says nothing sensible. One sentence, for people."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """One run. Counts and times are for a small cluster; a large one bears more."""

    kubeconfig: Path
    #: The run's own namespace: made at its start, removed at its end.
    namespace: str
    release: str = "mediaflow"
    #: Where the images are; none: on the nodes already.
    registry: str = ""
    #: Their tag; none: the chart's.
    tag: str = ""
    #: A file with further values, for what this cluster needs (a storage class, images of its own); none.
    values: Path | None = None
    #: Leave the namespace as it is at the end.
    keep: bool = False
    #: Take the namespace and the release that an earlier run kept.
    reuse: bool = False
    #: Nodes of RabbitMQ.
    brokers: int = 3
    #: Fewest and most workers of transcode.
    fewest: int = 2
    most: int = 8
    #: Assets of the burst that KEDA has to follow. It gets to the most workers in two steps, 15 seconds apart:
    #: 300 may be done before the second one where pods start fast.
    burst: int = 600
    #: Uploads a second, and seconds, of the load under which something is done to the fleet.
    rate: float = 5.0
    seconds: float = 30.0
    clip: Path = _CLIP
    #: All time limits are multiplied by this.
    patience: float = 1.0

    def limit(self, seconds: float) -> float:
        """Give a time limit for this cluster, in seconds."""
        return seconds * self.patience


def read_parameters(environment: Mapping[str, str]) -> Parameters:
    """Read the variables. Raises Missing with the sentence that says which one is wrong."""
    kubeconfig = environment.get("KUBECONFIG", "")
    if not kubeconfig:
        raise Missing("KUBECONFIG is not set: it has to name the kubeconfig of the cluster to test on.")
    if not Path(kubeconfig).is_file():
        raise Missing(f"KUBECONFIG names {kubeconfig}, and there is no such file.")
    read = _Reader(environment)
    usual = Parameters(Path(kubeconfig), "")
    return Parameters(
        kubeconfig=Path(kubeconfig).resolve(),
        namespace=environment.get("NAMESPACE") or f"mediaflow-test-{secrets.token_hex(3)}",
        release=environment.get("RELEASE") or usual.release,
        registry=environment.get("REGISTRY", ""),
        tag=environment.get("TAG", ""),
        values=read.file("VALUES", None),
        keep=read.switch("KEEP"),
        reuse=read.switch("REUSE"),
        brokers=read.number("BROKERS", usual.brokers, int, 1),
        fewest=read.number("FEWEST", usual.fewest, int, 1),
        most=read.number("MOST", usual.most, int, 2),
        burst=read.number("BURST", usual.burst, int, 1),
        rate=read.number("RATE", usual.rate, float, 0.1),
        seconds=read.number("SECONDS", usual.seconds, float, 1),
        clip=read.file("CLIP", usual.clip) or usual.clip,
        patience=read.number("PATIENCE", usual.patience, float, 0.1),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    environment: Mapping[str, str]

    def switch(self, name: str) -> bool:
        return self.environment.get(name, "") not in ("", "0")

    def number(self, name: str, usual: Number, kind: Callable[[str], Number], least: float) -> Number:
        text = self.environment.get(name, "")
        if not text:
            return usual
        try:
            value = kind(text)
        except ValueError:
            raise Missing(f"{name}={text}: expected a number.") from None
        if value < least:
            raise Missing(f"{name}={text}: expected {least} or more.")
        return value

    def file(self, name: str, usual: Path | None) -> Path | None:
        text = self.environment.get(name, "")
        if not text:
            return usual
        if not Path(text).is_file():
            raise Missing(f"{name} names {text}, and there is no such file.")
        return Path(text).resolve()

"""Shows how far each channel is: bars on a terminal, a line for each change elsewhere."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

Channels = Mapping[str, Mapping[str, Any]]

#: Without a terminal, a running channel says something after so many per cent.
_STRIDE = 25.0


class ProgressView(AbstractContextManager["ProgressView"], Protocol):
    """Takes every look at the channels of an asset."""

    def show(self, channels: Channels) -> None:
        """Show the channels as they are now."""


def progress_view(console: Console) -> ProgressView:
    """Choose the view that suits where `console` writes."""
    return BarView(console) if console.is_terminal else LineView(console)


def describe(channel: Mapping[str, Any]) -> str:
    """Say where a channel is: `running 43 %`."""
    percent = channel.get("percent")
    share = f" {percent:.0f} %" if channel["state"] == "running" and percent is not None else ""
    return f"{channel['state']}{share}"


class BarView:
    """One bar for each channel."""

    def __init__(self, console: Console) -> None:
        self._bars = Progress(
            TextColumn("{task.description:<12}", markup=False),
            BarColumn(bar_width=40),
            TextColumn("{task.fields[said]:<16}", markup=False),
            TimeElapsedColumn(),
            console=console,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def show(self, channels: Channels) -> None:
        """Move the bars."""
        for name, channel in channels.items():
            if name not in self._tasks:
                self._tasks[name] = self._bars.add_task(name, total=100, said="")
            done = 100 if channel["state"] == "done" else channel.get("percent") or 0
            self._bars.update(self._tasks[name], completed=done, said=describe(channel))
            if channel["state"] in ("done", "dead-lettered"):
                self._bars.stop_task(self._tasks[name])


class LineView:
    """One line for each change of state, and for every quarter of the way."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said: dict[str, tuple[str, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def show(self, channels: Channels) -> None:
        """Print what has changed."""
        for name, channel in channels.items():
            now = (str(channel["state"]), int((channel.get("percent") or 0) // _STRIDE))
            if self._said.get(name) != now:
                self._said[name] = now
                self._console.print(f"  {name:<12} {describe(channel)}")

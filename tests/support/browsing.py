"""The console in a real browser, as operators have it: sizes, themes, languages, and what no page may do."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

#: Width and height in pixels.
SIZES = {"phone": (390, 844), "desktop": (1440, 900), "wall": (1920, 1080)}

#: Where pictures are kept to be looked at, as build output.
SCREENSHOTS = Path(__file__).parents[2] / ".screenshots"

#: WCAG 2.2 up to AA, and what axe itself holds to be good.
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

#: Milliseconds for anything a page is waited for; a busy machine is slow.
_PATIENCE_MS = 30_000


#: Chromium gives up what it loads when any interface of the machine comes or goes; other tests make namespaces.
_NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"
_TRIES = 5


@dataclass
class Visitor:
    """Opens pages of one console; `complaints` is what they did that no page may do."""

    browser: Browser
    url: str
    complaints: list[str] = field(default_factory=list)
    #: Network failures are no complaint while the console or its broker is meant to be away.
    expects_failures: bool = False
    _network_changed: bool = False

    def open(self, path: str = "/", *, size: str = "desktop", theme: str = "light", **options: Any) -> Page:
        """Open a page in a context of its own, on a device of that size with that theme."""
        width, height = SIZES[size]
        context = self.browser.new_context(
            base_url=self.url,
            viewport={"width": width, "height": height},
            color_scheme=theme,
            has_touch=size == "phone",
            is_mobile=size == "phone",
            **({"locale": "en-GB"} | options),
        )
        context.set_default_timeout(_PATIENCE_MS)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("request", self._see)
        for _ in range(_TRIES):
            self._network_changed = False
            page.goto(path)
            if not self._network_changed:
                break
        return page

    def close(self) -> None:
        """Close all pages. Raises AssertionError for what they did that no page may do."""
        for context in self.browser.contexts:
            context.close()
        complaints, self.complaints = self.complaints, []
        assert complaints == [], complaints

    def _hear(self, message: ConsoleMessage) -> None:
        if _NETWORK_CHANGED in message.text:
            self._network_changed = True
            return
        network = self.expects_failures and message.text.startswith("Failed to load resource")
        if message.type == "error" and not network:
            self.complaints.append(f"{message.location.get('url')}: {message.text}")

    def _see(self, request: Request) -> None:
        target = urlsplit(request.url)
        if target.scheme in ("http", "https", "ws", "wss") and target.netloc != urlsplit(self.url).netloc:
            self.complaints.append(f"a request left the machine: {request.url}")


def check_accessibility(page: Page, *, context: str | None = None) -> None:
    """Fail with what axe finds wrong on the page, or in the part of it that the selector names."""
    options = {"runOnly": {"type": "tag", "values": _RULES}, "resultTypes": ["violations"]}
    found = Axe().run(page, context=context, options=options).response["violations"]
    assert not found, "\n".join(
        f"{each['id']} ({each['impact']}): {each['help']}\n    {node['target']} {node.get('failureSummary', '')}"
        for each in found
        for node in each["nodes"]
    )


def check_width(page: Page) -> None:
    """Fail when the page can be scrolled sideways."""
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, f"{page.url} is {wider} px wider than its window"


def take_picture(page: Page, name: str) -> Path:
    """Keep a picture of the whole page; `name` says the page, the size and the theme."""
    SCREENSHOTS.mkdir(exist_ok=True)
    file = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=file, full_page=True, animations="disabled")
    return file


def until(page: Page, condition: Callable[[], Any], what: str = "the condition") -> None:
    """Wait for something that the page does not show; its events go on meanwhile."""
    for _ in range(_PATIENCE_MS // 50):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{what} did not come")

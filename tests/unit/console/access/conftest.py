"""A browser and a program in front of a console."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

PASSWORD = "correct horse"


@dataclass
class Browser:
    """Keeps cookies, sends what browsers send, and finds the token in the pages it was given."""

    client: FlaskClient
    base_url: str = "http://localhost:8090"
    page: str = ""

    def get(self, path: str, headers: dict[str, str] | None = None) -> Any:
        navigation = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        sent = {"Accept": "text/html,*/*;q=0.8"} | navigation | (headers or {})
        answer = self.client.get(path, headers=sent, base_url=self.base_url)
        self.page = answer.text
        return answer

    @property
    def token(self) -> str:
        return re.search(r'name="csrf-token" content="([^"]+)"', self.page)[1]

    def send_form(self, path: str, headers: dict[str, str] | None = None, **fields: str) -> Any:
        own = {"Sec-Fetch-Site": "same-origin", "Origin": self.base_url, "Referer": f"{self.base_url}/"}
        return self.client.post(
            path,
            data={"csrf_token": self.token} | fields,
            headers={"Accept": "text/html"} | own | (headers or {}),
            base_url=self.base_url,
        )

    def log_in(self, name: str = "Ada", password: str = PASSWORD, **fields: str) -> Any:
        self.get("/login")
        return self.send_form("/login", name=name, password=password, **fields)


@pytest.fixture
def browser_of() -> Callable[[Flask], Browser]:
    return lambda app: Browser(app.test_client())


@pytest.fixture
def with_change(make_console) -> Callable[..., Flask]:
    """A console with one harmless change in it that says who made it: POST /admin/nothing."""

    def make(**settings: Any) -> Flask:
        from console.access.operator import operator_name

        app = make_console(**settings)
        app.add_url_rule("/admin/nothing", "nothing", lambda: {"who": operator_name()}, methods=["POST", "GET"])
        return app

    return make

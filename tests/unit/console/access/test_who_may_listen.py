"""Settings that would leave the console open, and what it keeps to sign sessions."""

import pytest

from console.access.access import check_access
from console.access.secret_key import signing_key
from console.access.tries import Tries
from console.settings import OWNER, ConsoleSettings
from mq_common.errors import ConfigurationError
from mq_common.settings import load_settings

PASSWORD = "correct horse"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_on_loopback_no_password_is_needed(host):
    check_access(ConsoleSettings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "console.example", ""])
def test_anywhere_else_it_is(host):
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_CONSOLE_PASSWORD: not set"):
        check_access(ConsoleSettings(host=host))
    check_access(ConsoleSettings(host=host, password=PASSWORD))


def test_behind_a_proxy_it_is_too():
    with pytest.raises(ConfigurationError, match="TRUSTED_HOPS"):
        check_access(ConsoleSettings(trusted_hops=1))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MEDIAFLOW_CONSOLE_PASSWORD", "short"),
        ("MEDIAFLOW_CONSOLE_PASSWORD", ""),
        ("MEDIAFLOW_CONSOLE_SECRET_KEY", "short"),
        ("MEDIAFLOW_CONSOLE_PORT", "70000"),
        ("MEDIAFLOW_CONSOLE_SESSION_HOURS", "0"),
        ("MEDIAFLOW_CONSOLE_TRUSTED_HOPS", "-1"),
        ("MEDIAFLOW_CONSOLE_PASWORD", "correct horse"),
    ],
)
def test_a_bad_or_unknown_variable_is_named(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=variable):
        load_settings(ConsoleSettings, owner=OWNER)


def test_a_password_that_is_too_short_is_not_in_the_message(monkeypatch):
    monkeypatch.setenv("MEDIAFLOW_CONSOLE_PASSWORD", "sesame")
    with pytest.raises(ConfigurationError) as raised:
        load_settings(ConsoleSettings, owner=OWNER)
    assert "sesame" not in str(raised.value)


def test_a_made_key_is_kept_for_this_user_alone(tmp_path):
    settings = ConsoleSettings(state_dir=tmp_path / "state")
    assert signing_key(settings) == signing_key(settings)
    file = tmp_path / "state" / "secret.key"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_without_a_place_to_keep_it_each_start_has_a_key_of_its_own():
    assert signing_key(ConsoleSettings()) != signing_key(ConsoleSettings())


def test_a_given_key_is_the_same_everywhere_and_another_password_makes_it_another(tmp_path):
    key = "0123456789abcdef"
    given = signing_key(ConsoleSettings(secret_key=key, password=PASSWORD))
    assert given == signing_key(ConsoleSettings(secret_key=key, password=PASSWORD, state_dir=tmp_path))
    assert given != signing_key(ConsoleSettings(secret_key=key, password="another password"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spoil", [lambda f: f.write_bytes(b"half"), lambda f: f.chmod(0o644)])
def test_a_key_that_is_broken_or_open_to_others_is_refused(tmp_path, spoil):
    settings = ConsoleSettings(state_dir=tmp_path)
    signing_key(settings)
    spoil(tmp_path / "secret.key")
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_CONSOLE_STATE_DIR"):
        signing_key(settings)


def test_a_state_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_CONSOLE_STATE_DIR"):
        signing_key(ConsoleSettings(state_dir=tmp_path / "file" / "state"))


def test_an_ipv6_network_counts_as_one_address_and_a_mapped_address_as_itself():
    tries = Tries()
    for number in range(10):
        tries.failed(f"2001:db8::{number + 1}")
        tries.failed(f"::ffff:10.0.0.{number + 1}")
    assert tries.wait_s("2001:db8::ffff") > 0
    assert tries.wait_s("2001:db9::1") == 0
    assert tries.wait_s("10.0.0.1") == 0


@pytest.mark.parametrize(("hops", "address"), [(0, "10.9.9.9"), (1, "203.0.113.5"), (2, "198.51.100.7")])
def test_as_many_proxies_are_believed_as_there_are(make_console, hops, address):
    from flask import request

    app = make_console(password=PASSWORD, trusted_hops=hops)
    seen = []
    app.view_functions["healthz"] = lambda: seen.append(request.remote_addr) or ""
    forwarded = {"X-Forwarded-For": "192.0.2.1, 198.51.100.7, 203.0.113.5"}
    app.test_client().get("/healthz", headers=forwarded, environ_base={"REMOTE_ADDR": "10.9.9.9"})
    assert seen == [address]

"""Who did what: written down, kept over a restart, shared by consoles on one store."""

from collections.abc import Callable, Iterator

import pytest

from console import audit as audit_module
from console.audit import KEPT, PREFIX, Audit
from console.audit_entry import AuditEntry
from media_common.errors import StoreUnavailable
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from mq_workers import eventually


@pytest.fixture
def store(tmp_path) -> MediaStore:
    return open_store(StoreSettings(store_url=tmp_path.as_uri(), store_fsync=False))


@pytest.fixture
def console(store, monkeypatch) -> Iterator[Callable[[], Audit]]:
    """Opens one console's audit after the other; all are closed at the end."""
    monkeypatch.setattr(audit_module, "_LOOK_S", 0.02)
    opened = []

    def make() -> Audit:
        opened.append(Audit(store))
        opened[-1].start()
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def actions(audit):
    return [each.action for each in audit.last()]


def test_an_action_is_a_line_in_the_log_and_the_newest_entry(store, capsys):
    audit = Audit(store)
    audit.record("pause", who="Ada", channel="transcode", detail="for the upgrade")
    audit.record("resume", who="Bob")
    newest, oldest = audit.last()
    assert (newest.action, newest.who, newest.channel, newest.outcome) == ("resume", "Bob", "", "done")
    assert oldest.detail == "for the upgrade"
    said = capsys.readouterr().out
    assert "console_action" in said
    assert "transcode" in said


def test_what_was_done_is_there_after_a_restart(store, console):
    first = Audit(store)
    first.start()
    written = first.record("scale", who="Ada", channel="subtitle", detail="2 to 5")
    first.close()
    second = console()
    eventually(lambda: second.last() == (written,))


def test_consoles_on_one_store_see_each_others_actions_in_their_order(console):
    one, other = console(), console()
    one.record("pause", who="Ada")
    eventually(lambda: actions(other) == ["pause"])
    other.record("resume", who="Bob")
    eventually(lambda: actions(one) == ["resume", "pause"])


def test_the_last_hundred_are_kept_and_older_ones_leave_the_store(store, console):
    audit = console()
    for number in range(KEPT + 60):
        audit.record(f"a{number}", who="Ada")
    assert len(audit.last()) == KEPT
    newest = [f"{PREFIX}{each.id}.json" for each in audit.last()]
    eventually(lambda: set(newest) <= set(store.list_keys(PREFIX)))
    eventually(lambda: len(list(store.list_keys(PREFIX))) < KEPT + 60)


def test_the_store_away_keeps_nobody_waiting_and_is_made_up_for(store, console, monkeypatch):
    put, away = store.put_bytes, True

    def refuse(*arguments, **options):
        if away:
            raise StoreUnavailable("the store is away")
        return put(*arguments, **options)

    monkeypatch.setattr(store, "put_bytes", refuse)
    audit = console()
    audit.record("pause", who="Ada")
    assert actions(audit) == ["pause"]
    away = False
    eventually(lambda: len(list(store.list_keys(PREFIX))) == 1)


def test_a_broken_entry_hides_no_other(store, console):
    store.put_bytes(f"{PREFIX}00000000-broken.json", b"{}")
    store.put_bytes(f"{PREFIX}00000001-broken.json", b"no json")
    audit = console()
    audit.record("pause", who="Ada")
    other = console()
    eventually(lambda: actions(other) == ["pause"])


def test_only_some_actions_can_be_asked_for(store):
    audit = Audit(store)
    for action in ("pause", "replay", "resume"):
        audit.record(action, who="Ada")
    assert [each.action for each in audit.last(actions=frozenset({"replay"}))] == ["replay"]
    assert [each.action for each in audit.last(1)] == ["resume"]


def test_an_entry_is_read_as_it_was_written():
    entry = AuditEntry("Ada", "replay", "subtitle", "5 messages", "failed: broker away")
    assert AuditEntry.from_json(entry.to_json()) == entry


def test_the_history_page_and_the_api_show_them(make_runtime):
    from console.app import create_app

    runtime = make_runtime()
    runtime.audit.record("pause", who="<b>Ada</b>", channel="transcode")
    client = create_app(runtime).test_client()
    page = client.get("/history").text
    assert "&lt;b&gt;Ada&lt;/b&gt;" in page
    assert "transcode" in page
    assert client.get("/admin/audit").json["entries"][0]["action"] == "pause"

"""Every sentence of the console in Turkish, and none of them half."""

import html
import io
import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import console
from console.pages import AREAS

PACKAGE = Path(console.__file__).parent
FOLDER = PACKAGE / "translations" / "tr" / "LC_MESSAGES"
METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2")]
KEYWORDS = {"_": None, "gettext": None, "lazy_gettext": None, "_l": None, "ngettext": (1, 2), "_n": (1, 2)}


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with (FOLDER / "messages.po").open("rb") as file:
        return read_po(file, locale="tr")


def messages(catalogue: Catalog) -> list[Message]:
    return [each for each in catalogue if each.id]


def texts(message: Message) -> list[tuple[str, str]]:
    """English and Turkish; of plurals both forms."""
    if isinstance(message.id, str):
        return [(message.id, message.string)]
    return list(zip(message.id, message.string, strict=True))


def test_every_sentence_of_the_sources_is_in_the_catalogue_and_no_other(catalogue):
    found = extract_from_dir(
        PACKAGE, METHODS, keywords=KEYWORDS, options_map={"**/templates/**.html": {"trimmed": "1"}}
    )
    wanted = {each[2] if isinstance(each[2], str) else tuple(each[2]) for each in found}
    there = {each.id if isinstance(each.id, str) else tuple(each.id) for each in messages(catalogue)}
    assert wanted - there == set(), "make translations, then translate what is new"
    assert there - wanted == set(), "make translations removes these"


def test_no_sentence_is_missing_or_only_guessed(catalogue):
    assert [each.id for each in messages(catalogue) if not all(turkish for _, turkish in texts(each))] == []
    assert [each.id for each in messages(catalogue) if each.fuzzy] == []


def test_what_is_filled_in_is_the_same_in_both_languages(catalogue):
    def fields(text: str) -> set[str]:
        named = set(re.findall(r"%\((\w+)\)[sd]", text))
        return named | {name for _, name, _, _ in Formatter().parse(re.sub(r"%\(\w+\)[sd]", "", text)) if name}

    wrong = [(english, turkish) for each in messages(catalogue) for english, turkish in texts(each)]
    assert [both for both in wrong if fields(both[0]) != fields(both[1])] == []


def test_sentences_end_as_they_do_in_english(catalogue):
    ends = (".", "?", "…", ":")
    pairs = [both for each in messages(catalogue) for both in texts(each)]
    assert [both for both in pairs if both[0][-1] in ends and both[0][-1] != both[1][-1]] == []


def test_what_is_compiled_is_what_is_written(catalogue):
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    assert (FOLDER / "messages.mo").read_bytes() == compiled.getvalue(), "make translations"


@pytest.mark.parametrize("path", [*(each.address for each in AREAS), "/history", "/nowhere", "/login"])
def test_no_page_in_turkish_has_english_left(make_console, catalogue, path):
    app = make_console(**({"password": "correct horse"} if path == "/login" else {}))
    answer = app.test_client().get(path, headers={"Accept-Language": "tr", "Accept": "text/html"})
    assert 'lang="tr"' in answer.text
    page = html.unescape(re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), answer.text))
    sentences = {english for each in messages(catalogue) for english, turkish in texts(each) if english != turkish}
    left = [each for each in sentences if re.search("[a-z]{2} [a-z]{2}", each) and each in page]
    assert left == []


def test_problems_are_in_the_language_of_who_asks(make_console):
    client = make_console().test_client()
    assert client.get("/admin/nowhere").json["title"] == "There is nothing at this address"
    turkish = client.get("/admin/nowhere", headers={"Accept-Language": "tr"}).json
    assert turkish["title"] == "Bu adreste bir şey yok"
    assert turkish["type"] == "urn:mediaflow:problem:not-found"

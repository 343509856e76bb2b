"""Language codes."""

import pytest

from media_common.languages import language_name, language_tag


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("eng", "en"),
        ("en", "en"),
        ("EN", "en"),
        ("ger", "de"),
        ("deu", "de"),
        ("fre", "fr"),
        ("tur", "tr"),
        ("chi", "zh"),
        ("por-br", "pt-BR"),
        ("zh_hans_cn", "zh-Hans-CN"),
        ("es-419", "es-419"),
        ("fil", "fil"),
        ("tlh", "tlh"),
        ("English", "en"),
    ],
)
def test_container_codes_become_bcp_47(code: str, tag: str) -> None:
    assert language_tag(code) == tag


@pytest.mark.parametrize(
    "code", [None, "", "und", "mul", "zxx", "unk", "UND", "e", "qq", "../etc", "en/..", 'en"', "x" * 40]
)
def test_what_names_no_language_has_no_tag(code: str | None) -> None:
    assert language_tag(code) is None


@pytest.mark.parametrize(
    ("tag", "name"),
    [("tr", "Turkish"), ("pt-BR", "Portuguese (BR)"), ("zh-Hans-CN", "Chinese (Hans-CN)"), ("tlh", "tlh")],
)
def test_tags_have_names_for_people(tag: str, name: str) -> None:
    assert language_name(tag) == name

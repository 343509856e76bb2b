"""What a player's menu shows for a track, and the folder the track lies in. Pure."""

from media_common.languages import language_name

#: A title is a stranger's text that ends up in a playlist's attribute.
_TITLE_CHARACTERS = 60


def track_name(language: str | None, title: str | None, otherwise: str) -> str:
    """Name a track by its language (BCP 47) and its title: "English", "English (SDH)"; `otherwise` without both.

    A title that says the language itself stands alone.
    """
    shown = " ".join("".join(filter(_is_plain, title or "")).split())[:_TITLE_CHARACTERS].strip()
    spoken = language_name(language) if language else ""
    if not shown or shown.casefold() == spoken.casefold():
        return spoken or otherwise
    if not spoken or spoken.casefold() in shown.casefold():
        return shown
    return f"{spoken} ({shown})"


def unused(wanted: str, taken: set[str], numbered: str = "{} ({})") -> str:
    """Give the name that is wanted, or with the first number that nobody has taken; it is taken then."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = numbered.format(wanted, number)
    taken.add(name)
    return name


def _is_plain(character: str) -> bool:
    return character.isprintable() and character != '"'

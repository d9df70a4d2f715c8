"""Numbers as tables have them: with groups of thousands, a decimal comma, words for no value."""

from __future__ import annotations

import re

# No value: no point.
_NONE = frozenset({"", "none", "null", "na", "n/a", "-", "<na>", "nil"})
_WORDS = {"true": 1, "false": 0}
_INTEGER = re.compile(r"[-+]?\d+\Z")
_COMMA_DECIMAL = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:[. \u00a0\u202f']\d{3})+)?,\d+(?:[eE][-+]?\d+)?\Z")
_COMMA_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:[eE][-+]?\d+)?\Z")
_POINT_GROUPS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3}){2,}\Z|[-+]?\d{1,3}(?:\.\d{3})+,\d+\Z")
_OTHER_GROUPS = re.compile(r"[-+]?\d{1,3}(?:[ \u00a0\u202f'_]\d{3})+(?:[.,]\d*)?\Z")
_ONE_GROUP = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}\Z")
_GROUPS = re.compile(r"[ \u00a0\u202f'_]")


class NotANumber(ValueError):
    """The cell is no number, or more than one."""


def is_none(cell: str) -> bool:
    return cell.strip().lower() in _NONE


def looks_like_number(cell: str) -> bool:
    """Whether it is a number, or a word for one; empty cells are none."""
    try:
        return number_in(cell, None) is not None
    except NotANumber:
        return bool(_ONE_GROUP.match(cell.strip()))


def says_decimal_comma(cell: str) -> bool | None:
    """Whether a cell shows that the table has a decimal comma; None: it shows nothing."""
    text = cell.strip()
    if "," not in text and "." not in text:
        return None
    if _COMMA_DECIMAL.match(text) and not _ONE_GROUP.match(text):
        return True
    if _POINT_GROUPS.match(text):
        return True
    if "." in text and "," not in text:
        try:
            float(text)
        except ValueError:
            return None
        # 1.234 may be a group.
        return None if re.match(r"[-+]?[1-9]\d{0,2}\.\d{3}\Z", text) else False
    return False if _COMMA_GROUPS.match(text) and text.count(",") > 1 or re.search(r",\d{3}\.", text) else None


def number_in(cell: str, has_decimal_comma: bool | None) -> float | int | None:
    """
    Parses a cell; None: it has no value. `has_decimal_comma` is None where the table does not show
    it: a cell that could be 1.234 and 1234 is refused then. Raises NotANumber.
    """
    text = cell.strip()
    if _INTEGER.match(text):
        return int(text)
    if has_decimal_comma is not True or ("," not in text and "." not in text):
        try:
            # Python alone takes 1_000, which is a group here.
            if "_" not in text:
                return float(text)
        except ValueError:
            pass
    word = text.lower()
    if word in _NONE:
        return None
    if word in _WORDS:
        return _WORDS[word]
    if _ONE_GROUP.match(text) and has_decimal_comma is None:
        raise NotANumber(f"{text} may be a number of thousands or one with a decimal comma")
    if has_decimal_comma:
        if _COMMA_DECIMAL.match(text) or _POINT_GROUPS.match(text) or re.match(r"[-+]?\d{1,3}(?:\.\d{3})+\Z", text):
            return _parsed(_GROUPS.sub("", text).replace(".", "").replace(",", "."))
        try:
            return float(text)
        except ValueError:
            pass
    elif _COMMA_GROUPS.match(text):
        return _parsed(text.replace(",", ""))
    elif _COMMA_DECIMAL.match(text) or _POINT_GROUPS.match(text):
        return _parsed(_GROUPS.sub("", text).replace(".", "").replace(",", "."))
    if _OTHER_GROUPS.match(text):
        return _parsed(_GROUPS.sub("", text).replace(",", "."))
    raise NotANumber(f"{text[:80]!r} is no number")


def _parsed(text: str) -> float | int:
    return int(text) if _INTEGER.match(text) else float(text)

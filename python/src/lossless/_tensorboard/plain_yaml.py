"""
Parses the part of YAML in which hyperparameters are written, without a library: mappings of
mappings, lists and scalars in block style, as PyYAML dumps them. Entries beyond it (anchors, tags,
texts of several paragraphs) are left out and named.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_DEPTH_MAX = 16
_LINE_CHARACTERS_MAX = 10_000
_KEY = re.compile(
    r"""('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|"""
    r"""[^\s\-?:,\[\]{}#&*!|>'"%@`][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*))?$"""
)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$")
_HEXADECIMAL = re.compile(r"[-+]?0x[0-9a-fA-F_]+$")
# YAML 1.1 takes 1e-3 for text, which is never meant.
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?$")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


class Beyond(ValueError):
    """YAML beyond the supported part."""


class _Line(NamedTuple):
    indent: int
    text: str


def plain_yaml(text: str) -> tuple[dict[str, Any], list[str]]:
    """
    Returns the mapping, and the names of entries left out. Raises Beyond when it is no mapping.
    """
    lines = [
        _Line(len(line) - len(line.lstrip(" ")), line.strip())
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#") and line.rstrip() not in ("---", "...")
    ]
    if not lines or [line.text for line in lines] == ["{}"]:
        return {}, []
    if any(len(line.text) > _LINE_CHARACTERS_MAX for line in lines):
        raise Beyond("a line is too long")
    reader = _Reader(lines)
    found = reader.mapping(lines[0].indent, "")
    if not reader.is_at_end:
        raise Beyond("its lines are not indented as a mapping")
    return found, reader.left_out


class _Reader:
    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0
        self.left_out: list[str] = []

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._lines)

    def mapping(self, indent: int, path: str, depth: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._indent() == indent:
            match = _KEY.match(self._lines[self._at].text)
            if match is None or depth > _DEPTH_MAX:
                raise Beyond(self._lines[self._at].text[:40])
            self._at += 1
            start = self._at
            key = str(_scalar(match[1])) if match[1][0] in "'\"" else match[1]
            name = f"{path}{key}"
            try:
                found[key] = self._value(indent, match[2] or "", f"{name}.", depth)
            except ValueError:
                self.left_out.append(name)
                self._at = start
                self._skip(indent)
        if self._indent() > indent:
            raise Beyond(self._lines[self._at].text[:40])
        return found

    def _value(self, indent: int, rest: str, path: str, depth: int) -> Any:
        if rest.startswith("!!python/tuple"):
            rest = rest.removeprefix("!!python/tuple").strip()
        rest = "" if rest.startswith("#") else rest
        inner = self._indent()
        if rest:
            # A long text continues on the next lines.
            while self._indent() > indent:
                rest += f" {self._lines[self._at].text}"
                self._at += 1
            return _scalar(rest)
        if inner >= indent and self._is_item():
            return self._items(inner)
        return self.mapping(inner, path, depth + 1) if inner > indent else None

    def _items(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while self._indent() == indent and self._is_item():
            text = self._lines[self._at].text[1:].strip()
            if _KEY.match(text) or text.startswith("- "):
                raise Beyond("a list of lists or mappings")
            found.append(_scalar(text))
            self._at += 1
        if self._indent() > indent:
            raise Beyond("a list of values that are not scalars")
        return found

    def _skip(self, indent: int) -> None:
        """Skips an entry that is left out; items of a list may be indented like its key."""
        while self._indent() > indent or (self._indent() == indent and self._is_item()):
            self._at += 1

    def _indent(self) -> int:
        return self._lines[self._at].indent if self._at < len(self._lines) else -1

    def _is_item(self) -> bool:
        text = self._lines[self._at].text if self._at < len(self._lines) else ""
        return text == "-" or text.startswith("- ")


def _scalar(text: str) -> Any:
    if text[:1] == "'":
        return _quoted(text, r"'((?:[^']|'')*)'").replace("''", "'")
    if text[:1] == '"':
        inner = _quoted(text, r'"((?:[^"\\]|\\.)*)"')
        return json.loads(f'"{inner}"', strict=False)
    text = text.split(" #")[0].rstrip()
    if text[:1] in "[{":
        return _flow(text) if text else None
    if text[:1] in "&*!|>%@`":
        raise Beyond(text[:40])
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    if _HEXADECIMAL.match(text):
        return int(text, 16)
    return float(text) if _FLOAT.match(text) else text


def _quoted(text: str, form: str) -> str:
    match = re.match(form + r"\s*(?:#.*)?$", text)
    if match is None:
        raise Beyond(text[:40])
    return match[1]


def _flow(text: str) -> Any:
    """Parses `[1, 2]` of plain scalars, and empty collections."""
    if text == "{}":
        return {}
    inner = text[1:-1].strip()
    if text[0] != "[" or text[-1] != "]" or any(each in inner for each in "[]{}'\":"):
        raise Beyond(text[:40])
    return [_scalar(each.strip()) for each in inner.split(",")] if inner else []

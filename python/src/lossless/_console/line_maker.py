"""Makes lines of what a process writes to a stream, as a terminal would show them at their end."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._ground.wire_numbers import CONSOLE_LINE_CHARACTERS_MAX, CONSOLE_SPANS_MAX

# Colours and styles, other control sequences, links and titles, and lone escapes.
_SEQUENCE = re.compile(r"\x1b(?:\[([0-9;:]*)m|\[[0-9;:?<=>!]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\|$)|.?)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_UTF16_WIDE = re.compile(r"[\U00010000-\U0010ffff]")
# Text without a line end up to which it is looked at whole.
_PENDING_MAX = 4 * CONSOLE_LINE_CHARACTERS_MAX
# Parts of a line that are kept apart: their sum is no longer than what is looked at whole.
PARTS_MAX = 64
PART_CHARACTERS_MAX = 256

# Characters that are one line, whatever they are.
_SURELY_SHORT = CONSOLE_LINE_CHARACTERS_MAX // 2


class Line(NamedTuple):
    text: str
    # Stretches with a colour or a style: {start, end, style}, in UTF-16 code units.
    spans: list[dict[str, Any]]


class LineMaker:
    """One stream. Not for several threads at once, except for `parts`."""

    def __init__(self) -> None:
        # A line that has not ended. Any thread may append a text without a line end, of at most
        # PART_CHARACTERS_MAX, while there are fewer than PARTS_MAX.
        self.parts: list[str] = []

    def plain_line(self, text: str) -> str | None:
        """
        Returns the line that the text ends, if it is one line of printable characters, as most
        are. Takes nothing otherwise.
        """
        if text[-1:] != "\n":
            return None
        # As in `_taken`: a call costs a printed line a tenth of what it may.
        parts = self.parts
        count = len(parts)
        taken = parts[:count]
        del parts[:count]
        line = "".join(taken)
        if len(text) > 1:
            line += text[:-1]
        if len(line) > _SURELY_SHORT or not line.isprintable():
            self.parts[:0] = taken
            return None
        return line

    def feed(self, text: str) -> list[Line]:
        """Takes what was written, and returns the lines that it ends."""
        text = "".join(self._taken()) + text
        if "\n" not in text and len(text) <= _SURELY_SHORT:
            self.parts.insert(0, text)
            return []
        *ended, pending = text.split("\n")
        if len(pending) > 256 and "\r" in pending:
            # A progress bar without an end.
            pending = last_state(pending)
        if len(pending) > _PENDING_MAX:
            ended.append(pending)
            pending = ""
        if pending:
            self.parts.insert(0, pending)
        return [line for each in ended for line in _lines_of(each)]

    def _taken(self) -> list[str]:
        """
        Takes the parts. What another thread appends meanwhile stays. Signal handlers print, too:
        none runs between the copy and the deletion, because nothing is called there.
        """
        parts = self.parts
        count = len(parts)
        taken = parts[:count]
        del parts[:count]
        return taken

    @property
    def open(self) -> str:
        """The line that has not ended, as it is now."""
        pending = "".join(self.parts)
        lines = _lines_of(pending) if pending else []
        return lines[-1].text if lines else ""

    def end(self) -> list[Line]:
        """Ends the stream: the rest is a line."""
        return [line for line in _lines_of("".join(self._taken())) if line.text]


def last_state(text: str) -> str:
    """Returns what stands in a line after its carriage returns, each of which begins it anew."""
    parts = text.split("\r")
    return next((part for part in reversed(parts) if part), "") if len(parts) > 1 else text


def _lines_of(text: str) -> list[Line]:
    """Returns a line, in parts if it is too long."""
    if "\r" in text:
        text = last_state(text).rstrip(" ")
    spans: list[dict[str, Any]] = []
    if "\x1b" in text:
        text, spans = _without_sequences(text)
    if not text.isprintable():
        text = _CONTROLS.sub("", text).encode("utf-8", "replace").decode("utf-8")
    if len(text) <= CONSOLE_LINE_CHARACTERS_MAX // 2 or (text.isascii() and len(text) <= CONSOLE_LINE_CHARACTERS_MAX):
        return [Line(text, spans)]
    at_once = CONSOLE_LINE_CHARACTERS_MAX if text.isascii() else CONSOLE_LINE_CHARACTERS_MAX // 2
    return [Line(text[start : start + at_once], []) for start in range(0, len(text), at_once)]


def _without_sequences(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Takes the escape sequences out; colours and styles become spans."""
    pieces: list[str] = []
    spans: list[dict[str, Any]] = []
    style = ""
    began = at = length = 0
    for found in _SEQUENCE.finditer(text):
        piece = _CONTROLS.sub("", text[at : found.start()])
        pieces.append(piece)
        length += len(piece) + len(_UTF16_WIDE.findall(piece))
        at = found.end()
        if found[1] is None:
            continue
        style = _close(spans, style, began, length)
        if found[1] not in ("", "0"):
            style = f"{style};{found[1]}" if style else found[1]
        else:
            style = ""
        style = style[-64:].lstrip(";")
        began = length
    rest = _CONTROLS.sub("", text[at:])
    pieces.append(rest)
    _close(spans, style, began, length + len(rest) + len(_UTF16_WIDE.findall(rest)))
    return "".join(pieces), spans[:CONSOLE_SPANS_MAX]


def _close(spans: list[dict[str, Any]], style: str, began: int, end: int) -> str:
    if style and end > began:
        spans.append({"start": began, "end": end, "style": style})
    return style

"""Messages to the user: warnings, each once, at the line that caused it, and text on stderr."""

from __future__ import annotations

import os
import sys
import warnings

from .signal_handlers import is_of_signal_handler

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Warnings at most: a script that makes up names in a loop would fill its memory and its log.
_TOLD_MAX = 1_000

_told: set[str] = set()


def warn(what: str, text: str) -> None:
    """Warns once for each `what`."""
    if what in _told or len(_told) >= _TOLD_MAX:
        return
    _told.add(what)
    tell(text)


def tell(text: str) -> None:
    """Warns each time, and raises nothing even where warnings are errors."""
    try:
        warnings.warn(f"lossless: {text}", RuntimeWarning, stacklevel=_level_outside())
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        say(f"lossless: {text}")


def say(text: str, end: str = "\n") -> None:
    """
    Prints to stderr; the text is lost if that is closed, full, absent or a pipe without a reader.
    """
    try:
        if sys.stderr is not None:
            # Flushed at once: buffered text would fail later, in a line of the script.
            print(text, end=end, file=sys.stderr, flush=True)
    except Exception as error:
        if is_of_signal_handler(error):
            raise


def counted(count: int, noun: str, plural: str = "") -> str:
    """Returns the count and its noun, which agree: `1 point`, `2 points`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def _level_outside() -> int:
    """Returns the `stacklevel`, seen from `tell`, of the first line outside this package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    return level

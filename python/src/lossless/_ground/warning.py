"""What the user is told: in warnings, each once, at the line that caused it, and on stderr."""

from __future__ import annotations

import os
import sys
import warnings

from .signal_handlers import is_of_signal_handler

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# A script that makes up names in a loop would fill its memory and its log.
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
    """Prints to stderr; if that is closed, full, absent or a pipe that nobody reads, it is lost."""
    try:
        if sys.stderr is not None:
            # It is flushed at once: what stays in a buffer fails later, in a line of the script.
            print(text, end=end, file=sys.stderr, flush=True)
    except Exception as error:
        if is_of_signal_handler(error):
            raise


def _level_outside() -> int:
    """The `stacklevel`, seen from `tell`, of the first line that is not of this package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    return level

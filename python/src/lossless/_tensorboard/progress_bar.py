"""A progress bar below a command's output, on a terminal."""

from __future__ import annotations

import io
import shutil
import time
from typing import TextIO

_CELLS = 24
_EACH_SECONDS = 0.1
_CLEAR = "\r\x1b[K"


class ProgressBar(io.TextIOBase):
    """A stream whose text is printed above the bar."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._is_terminal = out.isatty()
        self._is_shown = False
        self._shown_at = float("-inf")

    @property
    def is_due(self) -> bool:
        return self._is_terminal and time.monotonic() - self._shown_at >= _EACH_SECONDS

    def show(self, part: float, text: str) -> None:
        """Shows that `part` of the whole is done, from 0 to 1."""
        if not self.is_due:
            return
        self._shown_at, self._is_shown = time.monotonic(), True
        full = round(min(max(part, 0.0), 1.0) * _CELLS)
        line = f"[{'#' * full}{'.' * (_CELLS - full)}] {part:4.0%} {text}"
        self._out.write(f"{_CLEAR}{line[: shutil.get_terminal_size().columns - 1]}")
        self._out.flush()

    def clear(self) -> None:
        if self._is_shown:
            self._is_shown = False
            self._shown_at = float("-inf")
            self._out.write(_CLEAR)
            self._out.flush()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.clear()
        return self._out.write(text)

    def flush(self) -> None:
        self._out.flush()

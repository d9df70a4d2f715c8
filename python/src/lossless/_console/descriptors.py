"""Reads what is written to a file descriptor, and passes it on to where it went before."""

from __future__ import annotations

import codecs
import contextlib
import os
import threading
from collections.abc import Callable
from typing import TextIO

# Seconds to wait for what child processes still write.
_END_SECONDS = 1.0


class CapturedDescriptor:
    """`take` gets the text, on a thread of its own. Raises OSError."""

    def __init__(self, stream: TextIO, number: int, take: Callable[[str], None]) -> None:
        self._stream = stream
        self._number = number
        self._take = take
        stream.flush()
        self._original = os.dup(number)
        self._read, write = os.pipe()
        os.dup2(write, number)
        os.close(write)
        self._thread = threading.Thread(target=self._run, name="lossless console", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Gives the descriptor back."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()
        os.dup2(self._original, self._number)
        # The pipe ends when no process has it any more.
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            try:
                data = os.read(self._read, 65_536)
            except OSError:
                return
            if not data:
                return
            rest = memoryview(data)
            # Where the original is closed or broken, the console goes on.
            with contextlib.suppress(OSError):
                while rest:
                    rest = rest[os.write(self._original, rest) :]
            self._take(decoder.decode(data))

"""Reads what is written to a file descriptor, and passes it on to where it went before."""

from __future__ import annotations

import codecs
import contextlib
import os
import threading
import weakref
from collections.abc import Callable
from typing import TextIO

from .._ground.own_file import above_standard

# Seconds to wait for what child processes still write.
_END_SECONDS = 1.0


class CapturedDescriptor:
    """`take` gets the text, on a thread of its own. Raises OSError."""

    def __init__(self, stream: TextIO, number: int, take: Callable[[str], None]) -> None:
        self._stream = stream
        self._number = number
        self._take = take
        self._flush()
        self._original = above_standard(os.dup(number))
        # The number of a closed stream is free, and must not become the pipe's.
        self._read, write = (above_standard(end) for end in os.pipe())
        os.dup2(write, number)
        os.close(write)
        self._thread = threading.Thread(target=self._run, name="lossless console", daemon=True)
        self._thread.start()
        if hasattr(os, "register_at_fork"):
            myself = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _forked(myself()))

    def end(self) -> None:
        """Gives the descriptor back."""
        self._flush()
        os.dup2(self._original, self._number)
        # The pipe ends when no process has it any more.
        self._thread.join(_END_SECONDS)

    def begin_child(self) -> None:
        """
        In a forked child, which has no thread to read: its writes must fail, and not wait for ever,
        once the parent is gone.
        """
        with contextlib.suppress(OSError):
            os.close(self._read)

    def _flush(self) -> None:
        # A closed stream.
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

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


def _forked(descriptor: CapturedDescriptor | None) -> None:
    if descriptor is not None:
        descriptor.begin_child()

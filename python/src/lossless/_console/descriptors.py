"""Reads what is written to a file descriptor, and passes it on to where it went before."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import subprocess
import threading
import weakref
from collections.abc import Callable
from typing import TextIO

from .._ground.own_file import OwnFile

# Seconds to wait for what child processes still write, and again for whoever reads the original.
_END_SECONDS = 1.0
_READ_BYTES = 65_536
# Passes on what it reads, in the background: it is nobody's child, whom a script would wait for.
_PASS_ON = "exec 3<&0; cat <&3 3<&- &"


class CapturedDescriptor:
    """`take` gets the text, on a thread of its own. Raises OSError."""

    def __init__(self, stream: TextIO, number: int, take: Callable[[str], None]) -> None:
        self._stream = stream
        self._number = number
        self._take = take
        self._flush()
        self._original = OwnFile(os.dup(number))
        # The number of a closed stream is free, and must not become the pipe's.
        self._read, write = (OwnFile(end) for end in os.pipe())
        os.dup2(write.number, number)
        write.close()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # Held while the pipe is read and its text is taken. Reentrant: a signal handler may end it.
        self._lock = threading.RLock()
        # Whether the pipe has been read to the end in place of the thread.
        self._is_over = False
        # What was read then: the thread passes it on, should the original take any more.
        self._rest: list[bytes] = []
        # A byte in it ends the thread; a forked child has both ends, too.
        self._stop = [OwnFile(end) for end in os.pipe()] if hasattr(select, "poll") else []
        self._thread = threading.Thread(target=self._run, name="lossless console", daemon=True)
        self._thread.start()
        if hasattr(os, "register_at_fork"):
            myself = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _forked(myself()))

    def end(self) -> None:
        """Gives the descriptor back."""
        self._flush()
        os.dup2(self._original.number, self._number)
        # The pipe ends when no process has it any more.
        self._thread.join(_END_SECONDS)
        if self._stop and self._thread.is_alive():
            os.write(self._stop[1].number, b".")
            self._thread.join(_END_SECONDS)
            if self._thread.is_alive():
                self._take_rest()
            self._leave()
        if not self._thread.is_alive():
            for file in (*self._stop, self._read, self._original):
                file.close()

    def _leave(self) -> None:
        """
        A child outlives the recording, and may outlive this process: with nobody to read the pipe
        its next write would end it. Another process passes on what it writes.
        """
        with contextlib.suppress(OSError):
            subprocess.run(
                ["sh", "-c", _PASS_ON],
                stdin=self._read.number,
                stdout=self._original.number,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def begin_child(self) -> None:
        """
        In a forked child, which has no thread to read: its writes must fail, and not wait for ever,
        once the parent is gone.
        """
        self._read.close()

    def _flush(self) -> None:
        # A closed stream.
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def _run(self) -> None:
        # Once it shall end: the bytes to read before. A child may write faster than they are taken.
        left: int | None = None
        while left is None or left > 0:
            if self._stop:
                is_readable, is_ending = self._wait()
                if not is_readable:
                    break
                if is_ending and left is None:
                    left = _capacity(self._read.number)
            with self._lock:
                data = b"" if self._is_over else self._take_next(left)
            if not data:
                break
            if left is not None:
                left -= len(data)
            self._pass_on(data)
        for data in self._rest:
            self._pass_on(data)

    def _take_rest(self) -> None:
        """
        Takes what the pipe holds while the thread waits for whoever reads the original: a full
        pipe, or a pager.
        """
        with self._lock:
            self._is_over = True
            left = _capacity(self._read.number)
            while left > 0 and self._wait()[0]:
                data = self._take_next(left)
                if not data:
                    break
                left -= len(data)
                self._rest.append(data)

    def _take_next(self, most: int | None) -> bytes:
        """Nothing: the pipe has ended."""
        try:
            data = os.read(self._read.number, _READ_BYTES if most is None else min(most, _READ_BYTES))
        except OSError:
            return b""
        self._take(self._decoder.decode(data))
        return data

    def _pass_on(self, data: bytes) -> None:
        rest = memoryview(data)
        # Where the original is closed or broken, the console goes on.
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[os.write(self._original.number, rest) :]

    def _wait(self) -> tuple[bool, bool]:
        """Waits for something to read, or its end; returns whether there is either."""
        waiting = select.poll()
        for file in (self._read, self._stop[0]):
            waiting.register(file.number, select.POLLIN)
        ready = [number for number, _ in waiting.poll()]
        return self._read.number in ready, self._stop[0].number in ready


def _capacity(number: int) -> int:
    """The bytes that a pipe may hold: what was written before is among them."""
    import fcntl

    with contextlib.suppress(AttributeError, OSError):
        return fcntl.fcntl(number, fcntl.F_GETPIPE_SZ)
    return _READ_BYTES


def _forked(descriptor: CapturedDescriptor | None) -> None:
    if descriptor is not None:
        descriptor.begin_child()

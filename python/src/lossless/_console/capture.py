"""Captures what this process prints and logs, into console.log in the directory of a recording."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO
from zlib import crc32

from .._ground.own_file import OwnFile, opened_to_append
from .._ground.signal_handlers import is_of_signal_handler
from .._spool.spool import CONSOLE_FILE
from .._values.records import encode
from .descriptors import CapturedDescriptor
from .line_maker import PART_CHARACTERS_MAX, PARTS_MAX, Line, LineMaker
from .secrets import masked

# Seconds between two states of a line that has not ended.
_OPEN_SECONDS = 1.0
# Nanoseconds for which lines may go into a file that is no longer ours.
_LOOK_NS = 10_000_000
_NO_SPANS: list[dict[str, Any]] = []
_quoted = json.encoder.encode_basestring_ascii
_LEVELS = (
    (logging.CRITICAL, "critical"),
    (logging.ERROR, "error"),
    (logging.WARNING, "warning"),
    (logging.INFO, "info"),
)


class _OfThread(threading.local):
    """A thread of the script. What it lacks is read from the class, without an exception."""

    # The level of what it logs just now.
    name: str | None = None
    # Counts up when lines of what it logs are kept.
    lines = 0


class Capture:
    """
    The console of one recording. `mode` is "wrap": what Python code writes to sys.stdout and
    sys.stderr; or "fd": what is written to the descriptors 1 and 2, by libraries in C and child
    processes too, which then see no terminal, and to streams that go elsewhere, as in notebooks.
    Each line is a record in the file when the write returns, or, from a descriptor, soon. It never
    disturbs the script: the stream gets everything first, an error of ours is told once, and a
    signal handler's passes through. Raises OSError at the beginning.

    Records (_values/records.py): ["l", ms, stream, text, spans?] is a line, ["L", ms, stream, text]
    the state of one that has not ended.
    """

    def __init__(self, directory: Path, mode: str, warn: Callable[[str, str], None]) -> None:
        self._file: OwnFile = opened_to_append(directory / CONSOLE_FILE)
        self._warn = warn
        # Reentrant: a signal handler prints, too.
        self._lock = threading.RLock()
        self._makers = {"stdout": LineMaker(), "stderr": LineMaker()}
        # By stream: when the state of a line that has not ended is due. A list, which `written`
        # holds.
        self._due = {name: [0.0] for name in self._makers}
        self._level = _OfThread()
        self._is_on = True
        # A line of which the disk has taken a part is ended before the next.
        self._is_torn = False
        # When the file was last found to be ours.
        self._looked_at = 0
        # Lines that the disk has not taken.
        self._lost = 0
        self._undo: list[Callable[[], None]] = []
        if hasattr(os, "register_at_fork"):
            myself = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _forked(myself()))
        try:
            for number, name in enumerate(self._makers, start=1):
                self._begin(name, number if mode == "fd" else None)
            if mode != "fd":
                # What handlers print comes through the descriptor, and would be kept twice.
                self._undo.append(self._wrap_logging())
        except BaseException:
            self.end()
            raise

    def _begin(self, name: str, number: int | None) -> None:
        """Captures a stream, or its descriptor with this number."""
        stream = getattr(sys, name, None)
        if stream is None:
            return
        if number is not None:
            # A closed descriptor has nothing to give.
            with contextlib.suppress(OSError):
                self._undo.append(CapturedDescriptor(stream, number, lambda text: self.take(name, text)).end)
            if _number_of(stream) == number:
                return
        self._undo.append(self._wrap(stream, name))

    def end(self) -> None:
        """Stops, and keeps what has no line end."""
        for undo in self._undo:
            try:
                undo()
            except (OSError, ValueError) as error:
                self._failed(error)
        with self._lock:
            for name, maker in self._makers.items():
                self._keep(name, maker.end())
            self._is_on = False
            for due in self._due.values():
                due[0] = 0.0
            self._file.close()

    def take(self, name: str, text: Any) -> None:
        """Keeps what was written to a stream. Never raises an error of its own."""
        if not self._is_on or not isinstance(text, str):
            return
        try:
            with self._lock:
                maker = self._makers[name]
                level = self._level.name
                line = maker.plain_line(text)
                if line is not None:
                    self._keep_line(level or name, line, _NO_SPANS)
                    if level is not None:
                        self._level.lines += 1
                elif lines := maker.feed(text):
                    self._keep(level or name, lines)
                    if level is not None:
                        self._level.lines += 1
                elif time.monotonic() >= self._due[name][0]:
                    self._due[name][0] = time.monotonic() + _OPEN_SECONDS
                    state = maker.open
                    if state:
                        self._append("L", name, masked(state))
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            self._failed(error)

    def _keep(self, stream: str, lines: list[Line]) -> None:
        for text, spans in lines:
            self._keep_line(stream, text, spans)

    def _keep_line(self, stream: str, text: str, spans: list[dict[str, Any]]) -> None:
        shown = masked(text)
        if shown is not text and shown != text:
            spans = _NO_SPANS
            self._warn("secret", "what looks like a key was printed: the console has ******** in its place")
        self._append("l", stream, shown, spans)

    def _append(self, kind: str, stream: str, text: str, spans: list[dict[str, Any]] | None = None) -> None:
        now = time.time_ns()
        if not 0 <= now - self._looked_at <= _LOOK_NS:
            self._looked_at = now
            if not self._file.is_ours():
                self._is_on = False
        if not self._is_on:
            return
        more = f",{encode(spans)}" if spans else ""
        # As `line_of`: a call costs a printed line a tenth of what it may.
        body = f'["{kind}",{now // 1_000_000},"{stream}",{_quoted(text)}{more}]'.encode()
        line = b"%08x %b\n" % (crc32(body), body)
        if self._is_torn:
            line = b"\n" + line
        try:
            written = os.write(self._file.number, line)
        except OSError as error:
            written = 0
            self._failed(error)
        else:
            self._is_torn = written < len(line)
        if written < len(line):
            self._lost += kind == "l"
        elif self._lost:
            lost, self._lost = self._lost, 0
            self._append("l", "stderr", f"({lost} lines before this were not kept: the disk was full)")

    def _wrap(self, stream: TextIO, name: str) -> Callable[[], None]:
        """Replaces the stream's `write`; the stream stays the same object."""
        write = stream.write
        take, parts, due, now = self.take, self._makers[name].parts, self._due[name], time.monotonic
        add = parts.append

        def written_to_file(text: Any) -> Any:
            try:
                return write(text)
            finally:
                # `print` writes each of its arguments, and the blanks between them.
                if (
                    type(text) is str
                    and len(parts) < PARTS_MAX
                    and (text == " " or (len(text) <= PART_CHARACTERS_MAX and "\n" not in text and now() < due[0]))
                ):
                    add(text)
                else:
                    take(name, text)

        def written_to_other(text: Any, *others: Any) -> Any:
            try:
                return write(text, *others)
            finally:
                take(name, text)

        # A file's own method takes one argument; passing on any number costs each part a third.
        written = written_to_file if isinstance(write, types.BuiltinMethodType) else written_to_other
        stream.write = written  # type: ignore[method-assign]

        def undo() -> None:
            # Whoever wrapped it later goes on; ours then only passes on.
            if stream.write is written:
                stream.write = write  # type: ignore[method-assign]

        return undo

    def _wrap_logging(self) -> Callable[[], None]:
        """
        Gives lines of `logging` their level, and keeps those that no handler prints. No handler is
        added: with one, `logging.basicConfig` would do nothing.
        """
        call = logging.Logger.callHandlers

        def called(logger: logging.Logger, record: logging.LogRecord) -> None:
            before = self._level.lines
            self._level.name = _level_of(record.levelno)
            try:
                call(logger, record)
            finally:
                self._level.name = None
                if self._is_on and self._level.lines == before:
                    self._take_record(record)

        logging.Logger.callHandlers = called  # type: ignore[method-assign,assignment]

        def undo() -> None:
            if logging.Logger.callHandlers is called:
                logging.Logger.callHandlers = call  # type: ignore[method-assign]

        return undo

    def _take_record(self, record: logging.LogRecord) -> None:
        try:
            with self._lock:
                maker = LineMaker()
                lines = [*maker.feed(f"{record.levelname}:{record.name}:{record.getMessage()}\n"), *maker.end()]
                self._keep(_level_of(record.levelno), lines)
        except Exception as error:
            if is_of_signal_handler(error):
                raise
            self._failed(error)

    def begin_child(self) -> None:
        """In a forked child: a thread of the parent may have held the lock."""
        self._lock = threading.RLock()
        for maker in self._makers.values():
            maker.parts.clear()

    def _failed(self, error: BaseException) -> None:
        self._warn("console", f"the console is not kept whole: {error!r}")


def _forked(capture: Capture | None) -> None:
    if capture is not None:
        capture.begin_child()


def _number_of(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None


def _level_of(number: int) -> str:
    return next((name for least, name in _LEVELS if number >= least), "debug")

"""
Metrics of the machine, and of the training's processes: docs/client-python.md lists them.

They are sampled in the sender's process, so that the training has no other thread (which would make
fork unsafe) and waits for nothing, not even for a GPU driver that hangs. Samples are appended to a
file of their own in the recording's directory, in the spool's format; their numbers are beyond
those of any training.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._spool.spool import SYSTEM_FILE
from .._values.records import encode, line_of
from .machine.machine import Machine, Place, Values, named

# Beyond the numbers of a training, which at a million points a second reaches it after thirty
# years.
_FIRST_NUMBER = 10**15
_SLICE_SECONDS = 0.5


class Sampler:
    """Measures for one recording, until `lives` returns False or it is stopped."""

    def __init__(
        self,
        directory: Path,
        wanted: Mapping[str, Any],
        created_at_ms: int,
        process_id: int,
        lives: Callable[[], bool],
        wait: Callable[[float], None],
    ) -> None:
        self._path = directory / SYSTEM_FILE
        self._seconds = float(wanted["seconds"])
        self._meta = dict(wanted["meta"])
        self._place = Place(*wanted.get("place", ()))
        self._created_at_ms = created_at_ms
        self._process_id = process_id
        self._lives = lives
        self._wait = wait
        self._lock = threading.Lock()
        self._is_stopped = False

    def run(self) -> None:
        """Measures, and never raises: a recording works without these metrics."""
        try:
            machine = Machine(self._process_id, self._place)
            # Rates begin here. A script that ends at once tells nothing of its machine.
            machine.sample()
            for reader in machine.slow:
                reader.ask(_nothing)
            due = time.monotonic() + self._seconds
            while self._lives() and not self._is_stopped:
                left = due - time.monotonic()
                if left > 0:
                    self._wait(min(left, _SLICE_SECONDS))
                    continue
                # After a pause of the whole machine one sample is enough.
                due = max(due + self._seconds, time.monotonic())
                self._take(machine.sample())
                for reader in machine.slow:
                    reader.ask(self._take)
        except Exception:
            return

    def stop(self) -> None:
        """Stops it: nothing is written after this."""
        with self._lock:
            self._is_stopped = True

    def _take(self, values: Values) -> None:
        """Writes a sample; on a full disk this sample is lost, but not later ones."""
        with self._lock:
            # Once it is stopped, the file counts as complete.
            if not values or self._is_stopped:
                return
            try:
                self._write(named(values))
            except OSError:
                return

    def _write(self, values: Values) -> None:
        now_ms = time.time_ns() // 1_000_000
        step = max(0, (now_ms - self._created_at_ms) // 1_000)
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            # A line has more bytes than points, so no number repeats, even after a restart.
            size = os.fstat(file).st_size
            line = line_of(encode(["m", _FIRST_NUMBER + size, now_ms, step, values, self._meta]))
            if os.write(file, line) != len(line):
                # The next line must not continue it. A line without its end is not read.
                os.ftruncate(file, size)
        finally:
            os.close(file)


def _nothing(_values: Values) -> None:
    """The first answer of a reader: it only begins its rates."""

"""Lines for the spool, in their order, also while the disk takes none."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from .._ground.signal_handlers import is_of_signal_handler
from .._spool.spool import SpoolWriter
from .._values.records import line_of

# The most that waits in memory while the disk is full: some minutes of a fast loop.
_LINES_MAX = 20_000
_BYTES_MAX = 64 * 2**20
_AGAIN_NS = 500_000_000


class KeptLines:
    """
    A line that the disk does not take waits in memory; beyond 20,000 lines or 64 MiB it is lost,
    and its points are counted. `told(error)` is called when the disk fails, `too_late(points)` for
    lines after `close`. Not for several threads at once.
    """

    def __init__(
        self, spool: SpoolWriter | None, told: Callable[[OSError], None], too_late: Callable[[int], None]
    ) -> None:
        self._spool = spool
        self._too_late = too_late
        self._is_closed = False
        self._told = told
        self._kept: deque[tuple[bytes, int]] = deque()
        self._kept_bytes = 0
        self._failed_ns = 0
        # How many points found no place.
        self.lost = 0

    def append(self, text: str, points: int) -> None:
        """Appends a record that is JSON already, with so many points or annotations in it."""
        spool = self._spool
        if spool is None:
            if self._is_closed:
                self._too_late(points)
            else:
                self.lost += points
            return
        line = line_of(text)
        if not self._kept:
            try:
                spool.write(line)
                is_written = True
            except OSError as error:
                # TimeoutError is an OSError, and may be the script's own.
                if is_of_signal_handler(error):
                    raise
                is_written = False
                if not self._is_closed:
                    self._told(error)
            if self._is_closed:
                # A signal handler has finished meanwhile: the line is behind the end, if anywhere.
                return self._too_late(points)
            if is_written:
                return
        self._keep(line, points)
        now = time.monotonic_ns()
        if now - self._failed_ns >= _AGAIN_NS:
            self._failed_ns = now
            self.write_kept()

    def write_kept(self) -> bool:
        """Writes what waits; gives whether nothing does any more."""
        assert self._spool is not None or not self._kept, "BUG: lines wait for no spool"
        try:
            while self._kept and self._spool is not None:
                line = self._kept[0][0]
                self._spool.write(line)
                self._kept.popleft()
                self._kept_bytes -= len(line)
        except OSError as error:
            if is_of_signal_handler(error):
                raise
            return False
        return True

    def give_up(self) -> None:
        """Counts what still waits as lost."""
        self.lost += sum(points for _, points in self._kept)
        self._kept.clear()
        self._kept_bytes = 0

    def close(self) -> None:
        """Takes no more lines. Whoever owns the spool closes it."""
        self._is_closed = True
        self._spool = None

    def _keep(self, line: bytes, points: int) -> None:
        # The end of a recording holds no points and must not be lost for them.
        lines = _LINES_MAX if points else 2 * _LINES_MAX
        if len(self._kept) >= lines or (points and self._kept_bytes + len(line) > _BYTES_MAX):
            self.lost += points
        else:
            self._kept.append((line, points))
            self._kept_bytes += len(line)

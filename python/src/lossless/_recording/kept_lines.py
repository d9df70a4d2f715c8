"""Lines for the spool, in order, even while the disk accepts none."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from .._ground.signal_handlers import is_of_signal_handler
from .._spool.spool import SpoolWriter
from .._values.records import line_of, records_in
from .sender_pipe import SenderPipe

# Bytes that may wait in memory while the disk accepts nothing.
_BYTES_MAX = 64 * 2**20
_PIECE_BYTES = 2**18
_AGAIN_NS = 250_000_000


class KeptLines:
    """
    A line that the disk does not accept waits in memory, until the disk accepts it or the sender
    has settled it, whichever comes first; beyond 64 MiB it is lost, and its points are counted.
    `told(error)` is called when the disk fails, `too_late(points)` for lines after `close`, `pipe`
    returns the pipe to the sender, if there is one. Not for several threads at once.
    """

    def __init__(
        self,
        spool: SpoolWriter | None,
        told: Callable[[OSError], None],
        too_late: Callable[[int], None],
        pipe: Callable[[], SenderPipe | None] = lambda: None,
    ) -> None:
        self._spool = spool
        self._too_late = too_late
        self._is_closed = False
        self._told = told
        self._pipe = pipe
        # Pieces with a place in the spool that are on no disk: see SpoolWriter.pass_over.
        self._pieces: deque[tuple[int, bytes]] = deque()
        # Number of the pieces that this sender has.
        self._given = 0
        self._given_to: SenderPipe | None = None
        # Lines after those pieces.
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0
        self._tried_ns = 0
        # Points without a place on disk or in memory.
        self.lost = 0
        # Number of these that the sender has in its memory.
        self.lost_unless_sent = 0

    def append(self, text: str, points: int) -> None:
        """Appends a record in JSON that has this many points or annotations."""
        spool = self._spool
        if spool is None:
            if self._is_closed:
                self._too_late(points)
            else:
                self.lost += points
            return
        line = line_of(text)
        if not self._kept_bytes:
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
                # A signal handler has finished meanwhile: if written at all, the line is after the
                # end.
                return self._too_late(points)
            if is_written:
                return
        self._keep(line, points)
        now = time.monotonic_ns()
        if now - self._tried_ns >= _AGAIN_NS:
            self._tried_ns = now
            self.write_kept()

    def write_kept(self) -> bool:
        """Writes what waits, or hands it to the sender; returns whether nothing waits any more."""
        assert self._spool is not None or not self._kept_bytes, "BUG: lines wait for no spool"
        if self._kept_bytes and self._spool is not None:
            self._forget_settled()
            if not self._to_disk(self._spool):
                self._to_sender(self._spool)
        return not self._kept_bytes

    def lose(self, points: int) -> None:
        """Counts points that have no place to be written to."""
        self.lost += points

    def give_up(self) -> None:
        """Counts what still waits as lost."""
        self._forget_settled()
        place = self._settled()
        given = list(self._pieces)[: self._given]
        self.lost_unless_sent = sum(
            _points_in(lines[place[1] if number == place[0] else 0 :]) for number, lines in given
        )
        self.lost += self.lost_unless_sent
        self.lost += sum(_points_in(lines) for _, lines in list(self._pieces)[self._given :])
        self.lost += sum(_points_in(line) for line in self._kept)
        self._pieces.clear()
        self._kept.clear()
        self._kept_bytes = 0

    def close(self) -> None:
        """Accepts no more lines. The owner of the spool closes it."""
        self._is_closed = True
        self._spool = None

    def _keep(self, line: bytes, points: int) -> None:
        # The end of a recording has no points, and must not be lost for their sake.
        if self._kept_bytes + len(line) > (_BYTES_MAX if points else 2 * _BYTES_MAX):
            self.lost += points
        else:
            self._kept.append(line)
            self._kept_bytes += len(line)

    def _settled(self) -> tuple[int, int]:
        """Returns the place in the spool before which nothing is needed any more."""
        state = None if self._given_to is None else self._given_to.state
        return (0, 0) if state is None else (state.segment, state.offset)

    def _forget_settled(self) -> None:
        if self._given_to is not None:
            self._given_to.pump()
        segment, offset = self._settled()
        while self._pieces and (self._pieces[0][0], len(self._pieces[0][1])) <= (segment, offset):
            self._forget_first()

    def _forget_first(self) -> None:
        self._kept_bytes -= len(self._pieces.popleft()[1])
        self._given = max(0, self._given - 1)

    def _to_disk(self, spool: SpoolWriter) -> bool:
        try:
            while self._pieces:
                spool.write_piece(*self._pieces[0])
                self._forget_first()
            while self._kept:
                line = self._kept[0]
                spool.write(line)
                self._kept.popleft()
                self._kept_bytes -= len(line)
        except OSError as error:
            if is_of_signal_handler(error):
                raise
            return False
        return True

    def _to_sender(self, spool: SpoolWriter) -> None:
        pipe = self._pipe()
        if pipe is None:
            return
        if pipe is not self._given_to:
            # Another sender has none of it.
            self._given_to, self._given = pipe, 0
        while pipe.is_free():
            if self._given == len(self._pieces):
                if not self._kept:
                    break
                self._pieces.append((spool.pass_over(), self._next_piece(spool.head)))
            pipe.give(*self._pieces[self._given])
            self._given += 1
        pipe.ask()

    def _next_piece(self, head: bytes) -> bytes:
        lines = [head]
        size = 0
        self._kept_bytes += len(head)
        while self._kept and size < _PIECE_BYTES:
            lines.append(self._kept.popleft())
            size += len(lines[-1])
        return b"".join(lines)


def _points_in(lines: bytes) -> int:
    """Counts the points and annotations."""
    found = (record for _, record in records_in(lines) if record is not None)
    return sum(len(record[4]) if record[0] == "m" else record[0] == "a" for record in found)

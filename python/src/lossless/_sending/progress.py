"""How far a sender is in its spool, written to state.json."""

from __future__ import annotations

import contextlib
from pathlib import Path

from .._ground.lock import elsewhere
from .._spool.handed_lines import HandedLines, state_message
from .._spool.head import has_head_file, segment_path, segments
from .._spool.sent_state import STATE_FILE, State, Tally, read_state, write_state, written_at_ms
from .._spool.spool import write_segment
from .._spool.tail import Placed


class Progress:
    """The state of a spool, for whoever holds its lock. Raises OSError if it cannot be read."""

    def __init__(self, directory: Path, handed: HandedLines) -> None:
        self._directory = directory
        # Lines that the disk did not accept, from the process that records.
        self._handed = handed
        self.state: State = read_state(directory)
        # Counts of what is not settled yet.
        self.tally = Tally()
        if not has_head_file(directory) and not (directory / STATE_FILE).exists():
            # The cause that lost the head may have lost the state.
            self.state.is_rebuilt = True
        # Elsewhere, as the directory may be read-only.
        self._stale_mark = elsewhere(directory, "stale")
        self._look()
        if self.state.is_rebuilt and 1 not in segments(directory):
            # The opening and the start are in the first file, which was sent.
            self.state.is_started = True

    def keep(self) -> None:
        self._handed.answer = state_message(self.state)
        try:
            write_state(self._directory, self.state)
        except OSError:
            # A later sender has to know.
            with contextlib.suppress(OSError):
                self._stale_mark.touch(mode=0o600)

    def settle(self, last: Placed) -> None:
        """Moves the position behind a record: what stands before it is stored, or refused."""
        old = self.state.segment
        self.state.segment, self.state.offset = last.segment, last.offset
        self.state.problem = self.state.stopped = None
        self.count()
        self.keep()
        if last.segment > old:
            self._handed.forget_before(last.segment)
            for number in segments(self._directory):
                if number < last.segment:
                    segment_path(self._directory, number).unlink(missing_ok=True)

    def count(self) -> None:
        """Writes counts with the place: records resent after a crash are not counted twice."""
        self.state.add(self.tally)
        self.tally.reset()
        self.state.attempting_since_ms = None

    def keep_handed(self) -> None:
        """
        Writes lines that were handed over and are not settled to the disk, if it has room by now.
        """
        for number in self._handed.numbers():
            lines = self._handed.piece(number)
            if lines is not None and (number, len(lines)) > (self.state.segment, self.state.offset):
                with contextlib.suppress(OSError):
                    write_segment(self._directory, number, lines)

    def is_whole(self) -> None:
        """
        Forgets that the state was outdated; a last one that cannot be written sets that again.
        """
        self._stale_mark.unlink(missing_ok=True)

    def _look(self) -> None:
        """
        Checks whether the state can be written. Where it cannot (the disk became read-only), or
        could not some time ago, an earlier sender has sent more than it says.
        """
        written_ms = written_at_ms(self._directory)
        is_stale = self._stale_mark.exists()
        try:
            write_state(self._directory, self.state)
        except OSError:
            is_stale = True
        if is_stale:
            self.state.stale_at_ms = written_ms
            # Existing content of the experiment may be ours.
            self.state.is_rebuilt = self.state.is_rebuilt or not self.state.is_started

"""An event file that may still grow: what is new in it, and what came of it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .._spool.sent_state import Tally
from .event import Event, event_of
from .protobuf import Malformed
from .tfrecord import Damage, Record, RecordReader

_HEAD_BYTES = 64
_DAMAGES_KEPT = 10


class EventFile:
    """It is open only while it is read: a directory may have more files than a process may open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # What the ids of its points begin with; empty until its first record is read.
        self.prefix = ""
        self.plugins: dict[str, str] = {}
        self.tally = Tally()
        # Values that are not finite, and values that are no scalars.
        self.notes = 0
        self.others = 0
        self.damaged = 0
        self.damages: list[str] = []
        # Why it could not be read when this was last tried.
        self.problem: str | None = None
        # The name stands for another file now, or its content is another one.
        self.is_replaced = False
        self._reader = RecordReader()
        # Which file is read, how it begins, and its size and time when it was looked at.
        self._identity: tuple[int, int] | None = None
        self._head = b""
        self._seen: tuple[int, int] | None = None

    @property
    def bytes_read(self) -> int:
        return self._reader.position

    def take(self) -> Iterator[list[Record | Damage]]:
        """What is whole and was not given before; nothing, when it is not this file any more."""
        self.problem = None
        try:
            status = os.stat(self.path)
            if not stat.S_ISREG(status.st_mode) or self._is_read(status):
                return
            with open(self.path, "rb", buffering=0) as file:
                if not self._is_same(file):
                    self.is_replaced = True
                    return
                file.seek(self._reader.position)
                while found := self._reader.read(file):
                    yield found
        except OSError as error:
            self.problem = f"{self.path} cannot be read: {error.strerror or error}"

    def events(self, found: list[Record | Damage], slug: str | None = None) -> Iterator[tuple[int, Event]]:
        """The events, with their places; others are counted. `slug`: whose points these are."""
        for each in found:
            if isinstance(each, Damage):
                self.note_damage(each)
                continue
            if each.content is None:
                self.others += 1
                continue
            if slug is not None:
                self.identify(slug, each.content)
            try:
                event = event_of(each.content, self.plugins)
            except Malformed as error:
                self.note_damage(Damage(each.offset, len(each.content), f"it is no event: {error}"))
                continue
            self.others += event.others
            yield each.offset, event

    def identify(self, slug: str, first: bytes) -> None:
        """
        Makes its prefix. Another file of its name has another first record, with its own time.
        """
        if not self.prefix:
            words = [slug.encode("utf-8"), self.path.name.encode("utf-8", "surrogateescape"), first]
            self.prefix = "tb-" + hashlib.sha256(b"\0".join(words)).hexdigest()[:32]

    def end(self) -> None:
        """Ends it: nobody writes any more, so what is left is damage."""
        rest = self._reader.rest()
        if rest is not None:
            self.note_damage(rest)

    def note_damage(self, damage: Damage) -> None:
        self.damaged += 1
        if len(self.damages) < _DAMAGES_KEPT:
            self.damages.append(f"{self.path}: {damage.size} bytes at {damage.offset}: {damage.reason}")

    def _is_read(self, status: os.stat_result) -> bool:
        return (
            (status.st_ino, status.st_dev) == self._identity
            and status.st_size == self._reader.position
            and (status.st_size, status.st_mtime_ns) == self._seen
        )

    def _is_same(self, file: BinaryIO) -> bool:
        """Whether it is this file still. This is noted first: later writes are seen next time."""
        status = os.fstat(file.fileno())
        identity = (status.st_ino, status.st_dev)
        head = file.read(_HEAD_BYTES)
        if self._identity not in (None, identity) or status.st_size < self._reader.position:
            return False
        # The number of a file that was removed is given again.
        if not head.startswith(self._head):
            return False
        self._identity, self._head = identity, head
        self._seen = (status.st_size, status.st_mtime_ns)
        return True

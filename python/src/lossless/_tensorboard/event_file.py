"""An event file that may still grow: what is new in it, and what came of it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from .._spool.sent_state import Tally
from .event import Event, event_of
from .known_records import KnownRecords
from .protobuf import Malformed
from .tfrecord import Damage, Record, RecordReader

_HEAD_BYTES = 64
_DAMAGES_KEPT = 10
_KINDS_TOLD = 10


class EventFile:
    """It is open only while it is read: a directory may have more files than a process may open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # The hash of its first record, which has the microsecond of its making; empty until then.
        self.head = b""
        self.records = KnownRecords()
        self.plugins: dict[str, str] = {}
        self.tally = Tally()
        # Values that are not finite, and values that are no scalars, by their kinds.
        self.notes = 0
        self.others: Counter[str] = Counter()
        # Scalars that another file has too, of which this one is a copy.
        self.copied = 0
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

    def events(self, found: list[Record | Damage], beside: Iterable[EventFile]) -> Iterator[tuple[str, Event]]:
        """
        The events, with the ids of their records; others are counted. What a file `beside` it has
        too is left out: a file may be renamed, or have a copy.

        An id is made of the file's first record, and the record's place and content: not of the
        file's name. Files that begin alike and then differ share what is equal, and no more.
        """
        for each in found:
            if isinstance(each, Damage):
                self.note_damage(each)
                continue
            if each.content is None:
                self.others["records too long to be read"] += 1
                continue
            if not self.head:
                self.head = hashlib.sha256(each.content).digest()
            digest = hashlib.blake2b(each.content, digest_size=16, key=self.head, salt=_salt(each.offset)).digest()
            try:
                event = event_of(each.content, self.plugins)
            except Malformed as error:
                self.note_damage(Damage(each.offset, len(each.content), f"it is no event: {error}"))
                continue
            if any(file.head == self.head and file.records.has(each.offset, digest) for file in beside):
                self.copied += len(event.scalars)
                continue
            self.records.add(each.offset, digest)
            self.others.update(event.others)
            yield digest.hex(), event

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


def told_kinds(others: Counter[str]) -> str:
    """`5 images, 2 texts`, the most first. A file may have plugins of any name."""
    most = others.most_common(_KINDS_TOLD)
    rest = others.total() - sum(count for _, count in most)
    return ", ".join([f"{count:,} {kind[:40]}" for kind, count in most] + ([f"{rest:,} others"] if rest else []))


def _salt(offset: int) -> bytes:
    return offset.to_bytes(8, "little")

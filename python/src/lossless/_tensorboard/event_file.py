"""An event file that may still grow: its new events, and their outcomes."""

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
_SINGULARS = {
    "images": "image",
    "histograms": "histogram",
    "texts": "text",
    "PR curves": "PR curve",
    "meshes": "mesh",
    "graphs": "graph",
    "tensors": "tensor",
}


class EventFile:
    """Open only while it is read: a directory may have more files than a process may open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Hash of its first record, which has the microsecond of its creation; empty until read.
        self.head = b""
        self.records = KnownRecords()
        self.plugins: dict[str, str] = {}
        self.tally = Tally()
        # Non-finite values, and values that are left out, by kind.
        self.notes = 0
        # Pictures, texts and the like, by kind.
        self.logged: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        # Scalars that another file has too, of which this one is a copy.
        self.copied = 0
        self.damaged = 0
        self.damages: list[str] = []
        # Why the last attempt to read it failed.
        self.problem: str | None = None
        # The name refers to another file now, or the content was replaced.
        self.is_replaced = False
        self._reader = RecordReader()
        # Identity of the file, its beginning, and its size and time at the last look.
        self._identity: tuple[int, int] | None = None
        self._head = b""
        self._seen: tuple[int, int] | None = None

    @property
    def bytes_read(self) -> int:
        return self._reader.position

    def take(self) -> Iterator[list[Record | Damage]]:
        """
        Yields complete records that were not returned before; none when the file was replaced.
        """
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
        Yields the events, with the ids of their records; others are counted. Records that a file
        `beside` it has too are left out: a file may be renamed, or have a copy.

        An id is made of the file's first record, and the record's place and content: not of the
        file's name. Files that begin alike and then differ share exactly what is equal.
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
                self.note_damage(Damage(each.offset, len(each.content), f"it is not an event: {error}"))
                continue
            if any(file.head == self.head and file.records.has(each.offset, digest) for file in beside):
                self.copied += len(event.scalars)
                continue
            self.records.add(each.offset, digest)
            self.others.update(event.others)
            yield digest.hex(), event

    def end(self) -> None:
        """Ends it: nothing is written any more, so the rest is damage."""
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
        """
        Whether it is still the same file. Noted before reading: later writes are seen next time.
        """
        status = os.fstat(file.fileno())
        identity = (status.st_ino, status.st_dev)
        head = file.read(_HEAD_BYTES)
        if self._identity not in (None, identity) or status.st_size < self._reader.position:
            return False
        # The inode number of a removed file is reused.
        if not head.startswith(self._head):
            return False
        self._identity, self._head = identity, head
        self._seen = (status.st_size, status.st_mtime_ns)
        return True


def told_kinds(others: Counter[str]) -> str:
    """
    Describes kinds, most frequent first: `5 images, 1 text`. A file may have plugins of any name.
    """
    most = others.most_common(_KINDS_TOLD)
    rest = others.total() - sum(count for _, count in most)
    return ", ".join(
        [f"{count:,} {_number_of(kind[:40], count)}" for kind, count in most] + ([f"{rest:,} others"] if rest else [])
    )


def _number_of(kind: str, count: int) -> str:
    """Returns the singular of a known kind, all of which are named in the plural, for one value."""
    return _SINGULARS.get(kind, kind) if count == 1 else kind


def _salt(offset: int) -> bytes:
    return offset.to_bytes(8, "little")

"""The records read from an event file, in 16 bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_left


class KnownRecords:
    """Known records, added in the order of their places, as a file is read."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._digests = array("Q")

    def add(self, offset: int, digest: bytes) -> None:
        self._offsets.append(offset)
        self._digests.append(_short(digest))

    def has(self, offset: int, digest: bytes) -> bool:
        place = bisect_left(self._offsets, offset)
        return place < len(self._offsets) and self._offsets[place] == offset and self._digests[place] == _short(digest)


def _short(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "little")

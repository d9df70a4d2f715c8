"""Texts that a script logs beside its numbers: a series has no place for them, so they become annotations."""

from __future__ import annotations

# A text is written once for as long as it stays the same; a script that logs another one at each step has so many.
TEXTS_MAX = 10_000
_NAMES_MAX = 1_000


class LoggedTexts:
    """Of one recording."""

    def __init__(self) -> None:
        self.count = 0
        # The last one of each name, of those that were recorded.
        self.last: dict[str, str] = {}
        self._partitions: dict[tuple[str, str], str] = {}

    @property
    def is_full(self) -> bool:
        return self.count >= TEXTS_MAX

    def is_known(self, name: str, partition: str, text: str) -> bool:
        """The same as before, by that name and the meta of its point."""
        return self._partitions.get((name, partition)) == text

    def take(self, name: str, partition: str, text: str) -> None:
        self.count += 1
        if (name, partition) in self._partitions or len(self._partitions) < _NAMES_MAX:
            self._partitions[name, partition] = text
            self.last[name] = text

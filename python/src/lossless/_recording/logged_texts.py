"""
Texts that a script logs beside its numbers: kept as annotations, since series only have numbers.
"""

from __future__ import annotations

# Texts at most, for scripts that log another text at each step; an unchanged one is written once.
TEXTS_MAX = 10_000
_NAMES_MAX = 1_000


class LoggedTexts:
    """The texts of one recording."""

    def __init__(self) -> None:
        self.count = 0
        # The last recorded text of each name.
        self.last: dict[str, str] = {}
        self._partitions: dict[tuple[str, str], str] = {}

    @property
    def is_full(self) -> bool:
        return self.count >= TEXTS_MAX

    def is_again(self, name: str, partition: str, text: str) -> bool:
        """Takes a text that is unchanged for that name and the meta of its point."""
        is_known = self._partitions.get((name, partition)) == text
        if is_known:
            self.last[name] = text
        return is_known

    def forget(self, name: str) -> None:
        """Notes it again when it is logged again."""
        if self.last.pop(name, None) is not None:
            self._partitions = {key: text for key, text in self._partitions.items() if key[0] != name}

    def take(self, name: str, partition: str, text: str) -> None:
        self.count += 1
        if (name, partition) in self._partitions or len(self._partitions) < _NAMES_MAX:
            self._partitions[name, partition] = text
            self.last[name] = text

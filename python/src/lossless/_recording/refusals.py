"""Values that a recording could not take, by reason."""

from __future__ import annotations

# With "other reasons" this makes a hundred, the number that the sender lists.
_REASONS_MAX = 99
_OTHERS = "other reasons"


class Refusals:
    """
    Counts refusals, and decides when to write them to the spool: at the first for a reason and
    whenever their number has doubled, so that a loop with one in each step does not write a line
    for each. Not for several threads at once.
    """

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[str, int] = {}
        self._told: dict[str, int] = {}

    def add(self, count: int, reason: str) -> list[tuple[int, str]]:
        """Counts them. Returns what to write: at most one line."""
        if reason not in self._counts and len(self._counts) >= _REASONS_MAX:
            reason = _OTHERS
        self.total += count
        now = self._counts[reason] = self._counts.get(reason, 0) + count
        return self._tell(reason) if now >= 2 * self._told.get(reason, 0) else []

    def rest(self) -> list[tuple[int, str]]:
        """Returns what was not written yet, and counts it as written."""
        return [line for reason in self._counts for line in self._tell(reason)]

    def by_reason(self) -> dict[str, int]:
        return dict(self._counts)

    def _tell(self, reason: str) -> list[tuple[int, str]]:
        untold = self._counts[reason] - self._told.get(reason, 0)
        self._told[reason] = self._counts[reason]
        return [(untold, reason)] if untold else []

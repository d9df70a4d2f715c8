"""What a recording could not take, by reason."""

from __future__ import annotations

# With the others that makes a hundred, which is what the sender lists.
_REASONS_MAX = 99
_OTHERS = "other reasons"


class Refusals:
    """
    Counts, and says how many of them the spool should be told now: at the first of a reason and
    whenever their number has doubled, so that a loop which has one in each step writes no line for
    each. Not for several threads at once.
    """

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[str, int] = {}
        self._told: dict[str, int] = {}

    def add(self, count: int, reason: str) -> list[tuple[int, str]]:
        """Counts them. Gives what to tell: at most one line."""
        if reason not in self._counts and len(self._counts) >= _REASONS_MAX:
            reason = _OTHERS
        self.total += count
        now = self._counts[reason] = self._counts.get(reason, 0) + count
        return self._tell(reason) if now >= 2 * self._told.get(reason, 0) else []

    def rest(self) -> list[tuple[int, str]]:
        """Gives what was not told yet, and counts it as told."""
        return [line for reason in self._counts for line in self._tell(reason)]

    def by_reason(self) -> dict[str, int]:
        return dict(self._counts)

    def _tell(self, reason: str) -> list[tuple[int, str]]:
        untold = self._counts[reason] - self._told.get(reason, 0)
        self._told[reason] = self._counts[reason]
        return [(untold, reason)] if untold else []

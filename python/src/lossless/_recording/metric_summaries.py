"""The least, largest, mean, first, last or best values that `define_metric` may request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._ground.warning import warn

_KINDS = frozenset({"min", "max", "mean", "first", "last", "best"})
# Words of W&B for the default behaviour.
_PLAIN = frozenset({"none", "copy", ""})
_NAMES_MAX = 10_000


class MetricSummaries:
    """The summaries of one recording. For non-finite values only the last is known."""

    def __init__(self) -> None:
        # Keys are as defined: a name, or a prefix before "*".
        self._names: dict[str, tuple[frozenset[str], bool]] = {}
        self._beginnings: dict[str, tuple[frozenset[str], bool]] = {}
        self._asked: dict[str, tuple[frozenset[str], bool]] = {}
        self._counts: dict[str, int] = {}
        self._values: dict[str, dict[str, float]] = {}

    def define(self, name: str, summary: Any, goal: Any) -> None:
        """
        Defines summaries. `summary` is "min,max" or a list; `goal` decides whether the largest is
        the best.
        """
        if not isinstance(summary, (str, list, tuple, set, frozenset, type(None))):
            summary = str(summary)
        words = re.split(r"[,\s]+", summary) if isinstance(summary, str) else [str(word) for word in summary or ()]
        for word in words:
            if word not in _KINDS and word not in _PLAIN:
                warn(f"summary {word}", f"define_metric(summary={word!r}) is not known and is ignored")
        kinds = (_KINDS.intersection(words), str(goal or "").startswith("max"))
        if name.endswith("*"):
            self._beginnings[name[:-1]] = kinds
        else:
            self._names[name] = kinds
        self._asked.clear()

    def take(self, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            asked = self._asked.get(name)
            if asked is None:
                asked = self._asked_of(name)
            if asked[0]:
                self._add(name, value, *asked)

    def take_nonfinite(self, name: str, value: float) -> None:
        if "last" in self._asked_of(name)[0]:
            self._values.setdefault(name, {})["last"] = value

    def values(self) -> dict[str, dict[str, float]]:
        """Returns the values by metric, without non-finite ones, such as an overflowing mean."""
        found = {
            name: {kind: one for kind, one in each.items() if one - one == 0} for name, each in self._values.items()
        }
        return {name: each for name, each in found.items() if each}

    def _asked_of(self, name: str) -> tuple[frozenset[str], bool]:
        found = self._names.get(name)
        if found is None:
            longest = max((each for each in self._beginnings if name.startswith(each)), key=len, default=None)
            found = (frozenset(), False) if longest is None else self._beginnings[longest]
        if len(self._asked) >= _NAMES_MAX:
            return frozenset(), False
        self._asked[name] = found
        return found

    def _add(self, name: str, value: float, kinds: Iterable[str], is_largest_best: bool) -> None:
        now = self._values.setdefault(name, {})
        count = self._counts[name] = self._counts.get(name, 0) + 1
        for kind in kinds:
            before = now.get(kind, value)
            if kind == "mean":
                now[kind] = before + (value - before) / count
            elif kind == "min" or (kind == "best" and not is_largest_best):
                now[kind] = min(before, value)
            elif kind in ("max", "best"):
                now[kind] = max(before, value)
            else:
                now[kind] = value if kind == "last" else before

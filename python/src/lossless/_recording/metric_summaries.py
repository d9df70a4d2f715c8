"""The least, largest, mean, first, last or best values that `define_metric` may request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_KINDS = frozenset({"min", "max", "mean", "first", "last", "best"})
_NOTHING: frozenset[str] = frozenset()
_NAMES_MAX = 10_000


class _Asked(NamedTuple):
    kinds: frozenset[str]
    is_largest_best: bool
    # Whether the summary has the metric at all.
    is_shown: bool


_PLAIN = _Asked(_NOTHING, False, True)


class MetricSummaries:
    """The summaries of one recording. For non-finite values only the last is known."""

    def __init__(self, definitions: Any) -> None:
        """`definitions` are those of the experiment's meta: _values/metric_definitions.py."""
        # Keys are as defined: a name, or a prefix before "*".
        self._names: dict[str, _Asked] = {}
        self._beginnings: dict[str, _Asked] = {}
        self._asked: dict[str, _Asked] = {}
        # Values in each mean.
        self._counts: dict[str, int] = {}
        self._values: dict[str, dict[str, float]] = {}
        for name, each in definitions.items() if isinstance(definitions, Mapping) else ():
            if isinstance(each, Mapping):
                self.define(name, each)

    def define(self, name: str, definition: Mapping[str, Any]) -> None:
        """Replaces the summaries of a name: of what is not asked for any more no value is kept."""
        summary, goal = definition.get("summary") or (), definition.get("goal")
        asked = _NOTHING if "none" in summary else _KINDS.intersection(summary)
        kinds = _Asked(asked, str(goal or "").startswith("max"), "none" not in summary)
        if name.endswith("*"):
            self._beginnings[name[:-1]] = kinds
        else:
            self._names[name] = kinds
        self._asked.clear()
        for metric, values in self._values.items():
            wanted = self._asked_of(metric).kinds
            for kind in values.keys() - wanted:
                del values[kind]
            if "mean" not in wanted:
                self._counts.pop(metric, None)

    def take(self, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            asked = self._asked.get(name)
            if asked is None:
                asked = self._asked_of(name)
            if asked.kinds:
                self._add(name, value, asked)

    def take_nonfinite(self, name: str, value: float) -> None:
        if "last" in self._asked_of(name).kinds:
            self._values.setdefault(name, {})["last"] = value

    def forget(self, name: str) -> None:
        """Begins the summaries of a metric anew."""
        self._values.pop(name, None)
        self._counts.pop(name, None)

    def values(self) -> dict[str, dict[str, float]]:
        """Returns the values by metric, without non-finite ones, such as an overflowing mean."""
        found = {
            name: {kind: one for kind, one in each.items() if one - one == 0} for name, each in self._values.items()
        }
        return {name: each for name, each in found.items() if each}

    def is_shown(self, name: str) -> bool:
        """Whether the summary has the metric: not with `summary="none"`."""
        return (self._asked.get(name) or self._asked_of(name)).is_shown

    def _asked_of(self, name: str) -> _Asked:
        found = self._names.get(name)
        if found is None:
            longest = max((each for each in self._beginnings if name.startswith(each)), key=len, default=None)
            found = _PLAIN if longest is None else self._beginnings[longest]
        if len(self._asked) >= _NAMES_MAX:
            return found._replace(kinds=_NOTHING)
        self._asked[name] = found
        return found

    def _add(self, name: str, value: float, asked: _Asked) -> None:
        now = self._values.setdefault(name, {})
        for kind in asked.kinds:
            before = now.get(kind, value)
            if kind == "mean":
                count = self._counts[name] = self._counts.get(name, 0) + 1
                now[kind] = before + (value - before) / count
            elif kind == "min" or (kind == "best" and not asked.is_largest_best):
                now[kind] = min(before, value)
            elif kind in ("max", "best"):
                now[kind] = max(before, value)
            else:
                now[kind] = value if kind == "last" else before

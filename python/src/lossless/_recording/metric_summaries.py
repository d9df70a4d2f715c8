"""The least, largest, mean, first, last or best values that `define_metric` may request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._values.metric_definitions import Shown, shown_of
from .._values.value_summary import ValueSummary

_PLAIN = Shown()
_NAMES_MAX = 10_000


class MetricSummaries:
    """
    The summaries of one recording, from the first definition that asks for one; of a resumed
    experiment with `earlier` values. For non-finite values only the last is known.
    """

    def __init__(self, definitions: Any, earlier: Mapping[str, ValueSummary]) -> None:
        """`definitions` are those of the experiment's meta: _values/metric_definitions.py."""
        # Keys are as defined: a name, or a prefix before "*".
        self._names: dict[str, Shown] = {}
        self._beginnings: dict[str, Shown] = {}
        self._shown: dict[str, Shown] = {}
        self._values = dict(earlier)
        # Metrics whose value a script has set: until another definition they have no summary.
        self._replaced: set[str] = set()
        # Metrics that a script has removed, until they are logged again.
        self._removed: set[str] = set()
        for name, each in definitions.items() if isinstance(definitions, Mapping) else ():
            if isinstance(each, Mapping):
                self.define(name, each)

    def define(self, name: str, definition: Mapping[str, Any]) -> None:
        """Replaces the definition of a name."""
        if name.endswith("*"):
            self._beginnings[name[:-1]] = shown_of(definition)
        else:
            self._names[name] = shown_of(definition)
            self._replaced.discard(name)
        self._shown.clear()

    def take(self, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            asked = self._shown.get(name)
            if asked is None:
                asked = self.shown(name)
            if asked.kinds:
                self._of(name).add(value)

    def take_nonfinite(self, name: str, value: float) -> None:
        if self.shown(name).kinds:
            self._of(name).last = value

    def add_noted(self, noted: Mapping[str, Any]) -> None:
        """Adds the values of a summary that an earlier recording has noted."""
        for name, each in noted.items():
            if isinstance(each, Mapping) and self.shown(name).kinds:
                self._of(name).add_noted(each)

    def replace(self, name: str) -> None:
        """
        Ends the summary of a metric whose value the script has set: as in W&B, later values replace
        that one as they are.
        """
        if self.shown(name).kinds:
            self._replaced.add(name)

    def forget(self, name: str) -> None:
        """
        Removes a metric until it is logged again. As in W&B, only its first value is forgotten.
        """
        if name in self._values:
            self._removed.add(name)
            self._values[name].first = self._values[name].last = None

    def values(self) -> dict[str, dict[str, float]]:
        """Returns the values by metric."""
        hidden = self._replaced | self._removed
        found = {name: each.of(self.shown(name)) for name, each in self._values.items() if name not in hidden}
        return {name: each for name, each in found.items() if each}

    def shown(self, name: str) -> Shown:
        found = self._shown.get(name) or self._names.get(name)
        if found is None:
            longest = max((each for each in self._beginnings if name.startswith(each)), key=len, default=None)
            found = _PLAIN if longest is None else self._beginnings[longest]
        if name not in self._shown and len(self._shown) >= _NAMES_MAX:
            return found._replace(kinds=frozenset())
        self._shown[name] = found
        return found

    def _of(self, name: str) -> ValueSummary:
        self._removed.discard(name)
        found = self._values.get(name)
        if found is None:
            found = self._values[name] = ValueSummary()
        return found

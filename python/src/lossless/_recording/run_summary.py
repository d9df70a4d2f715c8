"""The summary of one recording, from what it has logged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._values.records import encode
from .logged_texts import LoggedTexts

if TYPE_CHECKING:
    from .._reading.stored_summary import StoredSummary
    from .._values.value_summary import ValueSummary
    from .metric_summaries import MetricSummaries

_LAST_VALUES_BYTES_MAX = 16 * 2**10


class RunSummary:
    def __init__(self) -> None:
        # The last value of every metric. Its names are valid; most calls use the same ones.
        self.last: dict[str, float | int] = {}
        self.texts = LoggedTexts()
        # Summaries of define_metric; None in most recordings.
        self.metrics: MetricSummaries | None = None
        # Those of the points before this recording.
        self._earlier: dict[str, ValueSummary] = {}

    @property
    def shown(self) -> Mapping[str, Any]:
        """The summary: the last value of every metric, or what define_metric requests."""
        if self.metrics is None and not self.texts.count:
            return self.last
        if self.metrics is None:
            return {**self.texts.last, **self.last}
        last = {**self.texts.last, **self.last}
        shown = {name: last[name] for name in last if self.metrics.shown(name).is_there}
        return {**shown, **self.metrics.values()}

    def summarize(self, definitions: Any) -> MetricSummaries:
        """Begins to summarize metrics whose definitions ask for it."""
        if self.metrics is None:
            from .metric_summaries import MetricSummaries

            self.metrics = MetricSummaries(definitions, self._earlier)
        return self.metrics

    def resume(self, stored: StoredSummary, definitions: Any) -> dict[str, Any]:
        """
        Takes over the values of an experiment; returns what scripts have put into its summary. What
        is derived of points is derived anew.
        """
        self.last.update(stored.last)
        self._earlier = stored.values
        if isinstance(definitions, Mapping) and any("summary" in each for each in definitions.values()):
            self.summarize(definitions).add_noted(stored.said)
        derived = {**stored.last, **self.shown}
        return {key: value for key, value in stored.said.items() if not _is_derived(value, derived.get(key))}

    def replace(self, name: str) -> None:
        """
        Removes metrics of this name and within it from the summary: the script has set a value.
        """
        for each in [name, *(each for each in self.shown if each.startswith(f"{name}."))]:
            self.last.pop(each, None)
            self.texts.last.pop(each, None)
            if self.metrics is not None:
                self.metrics.replace(each)

    def forget(self, name: str) -> None:
        """Removes a metric from the summary, until it is logged again."""
        shown = self.shown
        within = [each for each in shown if each.startswith(f"{name}.")]
        for each in [name] if name in shown else within:
            self.last.pop(each, None)
            self.texts.forget(each)
            if self.metrics is not None:
                self.metrics.forget(each)

    def noted(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """
        Returns the summary to be noted at the end: `own` of the script, what definitions request,
        and the last values that fit beside that. Empty: there is nothing of the script's.
        """
        own = {**(self.metrics.values() if self.metrics is not None else {}), **own}
        return {**self._last_values(), **own} if own else {}

    def _last_values(self) -> dict[str, Any]:
        """Returns as many last values as fit beside the rest."""
        found: dict[str, Any] = {}
        left = _LAST_VALUES_BYTES_MAX
        for name, value in self.last.items():
            if value - value != 0 or not (self.metrics is None or self.metrics.shown(name).is_there):
                continue
            left -= len(encode(name)) + len(repr(value)) + 2
            if left < 0:
                break
            found[name] = value
        return found


def _is_derived(said: Any, derived: Any) -> bool:
    """Whether an earlier recording has noted a last value or a summary of a metric's points."""
    if isinstance(said, Mapping) and isinstance(derived, Mapping):
        return said.keys() <= derived.keys()
    return bool(said == derived)

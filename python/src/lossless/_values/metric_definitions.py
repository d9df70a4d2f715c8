"""
Definitions of metrics (`define_metric`), kept for readers in the experiment's meta:

    "_metrics": {"train/*": {"stepMetric": "epoch", "stepSync": true,
                             "summary": ["min"], "goal": "minimize", "hidden": true}}

A name that ends with `*` is a prefix; of several matching ones the longest counts, and a whole name
comes before all. Absent members were not given. A later definition adds to an earlier one of the
same name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._ground.errors import SettingsError
from .._ground.warning import warn

KEY = "_metrics"
# "none" leaves a metric out of the summary; "copy" has its last value, as without a definition.
SUMMARIES = ("min", "max", "mean", "best", "last", "copy", "none", "first")
_KINDS = frozenset(SUMMARIES) - {"copy", "none"}
_GOALS = {"min": "minimize", "max": "maximize"}
# The meta has room for 64 KiB.
_DEFINITIONS_MAX = 500
_NAME_CHARACTERS_MAX = 256


def definition(
    name: str, step_metric: Any = None, step_sync: Any = None, hidden: Any = None, summary: Any = None, goal: Any = None
) -> dict[str, Any]:
    """
    Translates W&B's arguments. `summary` is "min,max" or a list. Raises SettingsError for what W&B
    refuses: a name without text or with a `*` before its end, an unknown summary or goal.
    """
    if not name or "*" in name[:-1]:
        raise SettingsError(f"define_metric({name!r}): a name is not empty, and has a * only at its end")
    if not isinstance(summary, (str, list, tuple, set, frozenset, type(None))):
        summary = str(summary)
    words = re.split(r"[,\s]+", summary) if isinstance(summary, str) else [str(each) for each in summary or ()]
    words = [word.lower() for word in words if word]
    for word in words:
        if word not in SUMMARIES:
            raise SettingsError(f"define_metric(summary={word!r}): the summary must be one of {', '.join(SUMMARIES)}")
    # W&B takes every word that begins so.
    aim = None if goal is None else _GOALS.get(str(goal)[:3].lower())
    if goal is not None and aim is None:
        raise SettingsError(f"define_metric(goal={goal!r}): the goal must be minimize or maximize")
    # May be the result of define_metric for that metric.
    step = None if step_metric is None else str(getattr(step_metric, "name", step_metric))
    said = {
        "stepMetric": step,
        "stepSync": None if step_sync is None else bool(step_sync),
        "summary": words,
        "goal": aim,
        "hidden": bool(hidden) or None,
    }
    return {key: value for key, value in said.items() if value not in (None, [])}


def merged(known: Any, name: str, said: dict[str, Any]) -> dict[str, Any]:
    """Returns what an earlier definition of the name says, and this one; summaries add up."""
    before = known.get(name) if isinstance(known, Mapping) else None
    if not isinstance(before, Mapping):
        return said
    summary = list(dict.fromkeys([*before.get("summary", ()), *said.get("summary", ())]))
    return {**before, **said, **({"summary": summary} if summary else {})}


def with_definition(known: Any, name: str, whole: dict[str, Any]) -> dict[str, Any] | None:
    """Returns all definitions with this one; None: nothing changes."""
    before = dict(known) if isinstance(known, Mapping) else {}
    if before.get(name, {}) == whole:
        return None
    if len(name) > _NAME_CHARACTERS_MAX or (name not in before and len(before) >= _DEFINITIONS_MAX):
        warn("define_metric", f"define_metric: more than {_DEFINITIONS_MAX} metrics are not kept")
        return None
    others = {each: value for each, value in before.items() if each != name}
    return {**before, name: whole} if whole else others


def definition_of(meta: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Returns the definition of one metric in the experiment's meta; empty: there is none."""
    known = meta.get(KEY)
    if not isinstance(known, Mapping):
        return {}
    fitting = [each for each in known if isinstance(each, str) and each.endswith("*") and name.startswith(each[:-1])]
    found = known.get(name if name in known else max(fitting, key=len, default=""))
    return found if isinstance(found, Mapping) else {}


class Shown(NamedTuple):
    """The values of a metric in the summary. Without kinds it has the last value alone."""

    kinds: frozenset[str] = frozenset()
    is_largest_best: bool = False
    # False with summary="none": the summary does not have the metric.
    is_there: bool = True


def shown_of(definition: Mapping[str, Any]) -> Shown:
    summary = definition.get("summary") or ()
    is_there = "none" not in summary
    kinds = _KINDS.intersection(summary) if is_there else frozenset[str]()
    return Shown(kinds, str(definition.get("goal") or "").startswith("max"), is_there)


def step_metric_of(meta: Mapping[str, Any], name: str) -> str | None:
    """Returns the metric on the x axis of this one; None: the step."""
    found = definition_of(meta, name).get("stepMetric")
    return found if isinstance(found, str) and found and found != name else None

"""
Definitions of metrics (`define_metric`), kept for readers in the experiment's meta:

    "_metrics": {"train/*": {"stepMetric": "epoch", "stepSync": true,
                             "summary": ["min"], "goal": "minimize", "hidden": true}}

A name that ends with `*` is a prefix; of several matching ones the longest counts, and a whole name
comes before all. Absent members were not given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._ground.warning import warn

KEY = "_metrics"
# The meta has room for 64 KiB.
_DEFINITIONS_MAX = 500
_NAME_CHARACTERS_MAX = 256


def definition(
    step_metric: Any = None, step_sync: Any = None, hidden: Any = None, summary: Any = None, goal: Any = None
) -> dict[str, Any]:
    """Translates W&B's arguments."""
    words = re.split(r"[,\s]+", summary) if isinstance(summary, str) else [str(each) for each in summary or ()]
    # May be the result of define_metric for that metric.
    step = None if step_metric is None else str(getattr(step_metric, "name", step_metric))
    said = {
        "stepMetric": step,
        "stepSync": None if step_sync is None else bool(step_sync),
        "summary": [word for word in words if word],
        "goal": None if goal is None else str(goal),
        "hidden": bool(hidden) or None,
    }
    return {name: value for name, value in said.items() if value not in (None, [])}


def with_definition(known: Mapping[str, Any] | None, name: str, said: dict[str, Any]) -> dict[str, Any] | None:
    """Returns all definitions with this one; None: nothing changes."""
    before = dict(known or {})
    if not said or before.get(name) == said:
        return None
    if len(name) > _NAME_CHARACTERS_MAX or (name not in before and len(before) >= _DEFINITIONS_MAX):
        warn("define_metric", f"define_metric: more than {_DEFINITIONS_MAX} metrics are not kept")
        return None
    return {**before, name: said}


def definition_of(meta: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Returns the definition of one metric in the experiment's meta; empty: there is none."""
    known = meta.get(KEY)
    if not isinstance(known, Mapping):
        return {}
    fitting = [each for each in known if isinstance(each, str) and each.endswith("*") and name.startswith(each[:-1])]
    found = known.get(name if name in known else max(fitting, key=len, default=""))
    return found if isinstance(found, Mapping) else {}


def step_metric_of(meta: Mapping[str, Any], name: str) -> str | None:
    """Returns the metric on the x axis of this one; None: the step."""
    found = definition_of(meta, name).get("stepMetric")
    return found if isinstance(found, str) and found and found != name else None

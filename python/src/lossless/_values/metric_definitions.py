"""
What a script says of its metrics before it logs them (`define_metric`), and how readers find it
again. It stands in the experiment's meta:

    "_metrics": {"train/*": {"stepMetric": "epoch", "stepSync": true,
                             "summary": ["min"], "goal": "minimize", "hidden": true}}

A name that ends with `*` is a beginning; of several that fit the longest counts, and a whole name
before all. What is absent was not said.
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
    """What W&B's arguments say."""
    words = re.split(r"[,\s]+", summary) if isinstance(summary, str) else [str(each) for each in summary or ()]
    # It may be what define_metric gave for it.
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
    """Everything that is known then; None: nothing changes."""
    before = dict(known or {})
    if not said or before.get(name) == said:
        return None
    if len(name) > _NAME_CHARACTERS_MAX or (name not in before and len(before) >= _DEFINITIONS_MAX):
        warn("define_metric", f"define_metric: more than {_DEFINITIONS_MAX} metrics are not kept")
        return None
    return {**before, name: said}


def definition_of(meta: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What the experiment's meta says of one metric; empty: nothing was said."""
    known = meta.get(KEY)
    if not isinstance(known, Mapping):
        return {}
    fitting = [each for each in known if isinstance(each, str) and each.endswith("*") and name.startswith(each[:-1])]
    found = known.get(name if name in known else max(fitting, key=len, default=""))
    return found if isinstance(found, Mapping) else {}


def step_metric_of(meta: Mapping[str, Any], name: str) -> str | None:
    """The metric that stands on the x axis of this one; None: the step does."""
    found = definition_of(meta, name).get("stepMetric")
    return found if isinstance(found, str) and found and found != name else None

"""Differences between experiments, as Python values."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, cast

from .._values.nonfinite import number_in

if TYPE_CHECKING:
    from ..wire import ApartKey, ComparedSummary, ComparedValue, DifferenceReply


class Missing:
    """The type of MISSING: an experiment lacks the key. A meta may have the key with None."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


@dataclasses.dataclass(frozen=True)
class Difference:
    """
    `keys` has the values of each key that differs ("meta.optimizer.lr"), in the order of `slugs`; a
    value of more than 1,024 characters is cut. `metrics` has the summaries of each metric, None
    where an experiment has none; `last` may be NaN or infinite. `apart` compares the experiments
    with others, if requested. `reply` says how much more there is.
    """

    slugs: list[str]
    keys: dict[str, list[Any]]
    metrics: dict[str, list[ComparedSummary | None]]
    apart: list[ApartKey]
    reply: DifferenceReply


def difference_of(reply: DifferenceReply) -> Difference:
    keys = {}
    for key in reply["keys"]:
        values = [_value(each) for each in key["values"]]
        keys[key["field"]] = [MISSING if at is None else values[at] for at in key["valueOf"]]
    return Difference(
        slugs=[each["slug"] for each in reply["experiments"]],
        keys=keys,
        metrics={each["name"]: [_summary(one) for one in each["summaries"]] for each in reply["metrics"]},
        apart=reply["apart"]["keys"] if "apart" in reply else [],
        reply=reply,
    )


def _summary(summary: ComparedSummary | None) -> ComparedSummary | None:
    return None if summary is None else cast("ComparedSummary", {**summary, "last": number_in(summary["last"])})


def _value(value: ComparedValue) -> Any:
    text = value["text"]
    return text if value["kind"] == "text" or value["isCut"] else json.loads(text)

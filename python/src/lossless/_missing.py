"""Names that are not here: a slip of one's own is an error, everything else is something that W&B has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._unsupported import Unsupported

# Of W&B's runs; they resemble names of ours, and are no slips.
_OF_RUNS = frozenset(
    "log_artifact link_artifact use_artifact upsert_artifact finish_artifact log_code log_model link_model use_model "
    "watch unwatch save restore status settings display to_html mark_preempting write_logs pin_config_keys".split()
)
_NEAR = 0.85


def missing_of_run(run: Any, name: str) -> Unsupported:
    """Raises AttributeError for what resembles a name that a recording has."""
    owner = f"{type(run).__name__!r} object"
    if name.startswith("_"):
        raise AttributeError(f"{owner} has no attribute {name!r}")
    if name not in _OF_RUNS:
        refuse_slip(name, dir(type(run)), owner)
    return Unsupported(f"run.{name}")


def refuse_slip(name: str, own_names: Iterable[str], owner: str) -> None:
    """A mistyped `save_artifact` that did nothing, with a warning, would be noticed when it is too late."""
    import difflib

    near = difflib.get_close_matches(name, [own for own in own_names if not own.startswith("_")], 1, _NEAR)
    if near:
        raise AttributeError(f"{owner} has no attribute {name!r}: is {near[0]!r} meant?")

"""Names that are not here: what W&B has does nothing and says so, everything else is a slip."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from ._unsupported import Unsupported
from ._wandb_names import OF_RUNS

_NEAR = 0.6
_MEANT_MAX = 3


def missing_of_run(run: Any, name: str) -> Unsupported:
    """Raises AttributeError for what no run of W&B has."""
    if name in OF_RUNS:
        return Unsupported(f"run.{name}")
    refuse_slip(name, dir(type(run)), f"{type(run).__name__!r} object")


def refuse_slip(name: str, own_names: Iterable[str], owner: str) -> NoReturn:
    """A mistyped `log` that did nothing, with a warning, would be noticed when it is too late."""
    meant = ""
    if not name.startswith("_"):
        import difflib

        own = [each for each in own_names if not each.startswith("_")]
        near = difflib.get_close_matches(name, own, _MEANT_MAX, _NEAR)
        meant = f": is {' or '.join(map(repr, near))} meant?" if near else ""
    raise AttributeError(f"{owner} has no attribute {name!r}{meant}")

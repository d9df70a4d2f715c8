"""
Handles missing names: what W&B has does nothing and warns. The same holds for attributes of a run
that W&B may add, since they must not end a training; one similar to a name of ours is an error. In
the module, names that W&B lacks too are errors: libraries use `hasattr` to detect the version of
W&B.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from .._ground.counterparts import instead_of
from .._ground.unsupported import Unsupported
from .._ground.wandb_names import OF_RUNS

# Similarity from which a name counts as misspelled; a little less, and the warning asks.
_SLIP = 0.85
_NEAR = 0.6
_MEANT_MAX = 3


def missing_of_run(run: Any, name: str) -> Unsupported:
    """
    Returns a stand-in for an attribute that runs lack. Raises AttributeError for a misspelled one.
    """
    owner = f"{type(run).__name__!r} object"
    if name in OF_RUNS:
        return Unsupported(f"run.{name}", hint=instead_of(name))
    return Unsupported(f"run.{name}", hint=meant_instead(name, dir(type(run)), owner))


def raise_missing_of_module(name: str, own_names: Iterable[str]) -> NoReturn:
    """Raises AttributeError for a name that even W&B lacks."""
    hint = meant_instead(name, own_names, "module 'lossless'")
    raise AttributeError(f"module 'lossless' has no attribute {name!r}{hint}")


def meant_instead(name: str, own_names: Iterable[str], owner: str) -> str:
    """
    Returns the warning's question. A misspelled `save_artifact` must raise: silence is noticed too
    late.
    """
    if name.startswith("_"):
        raise AttributeError(f"{owner} has no attribute {name!r}")
    import difflib

    own = [each for each in own_names if not each.startswith("_")]
    slip = difflib.get_close_matches(name, own, 1, _SLIP)
    if slip:
        raise AttributeError(f"{owner} has no attribute {name!r}: is {slip[0]!r} meant?")
    near = difflib.get_close_matches(name, own, _MEANT_MAX, _NEAR)
    return f" (is {' or '.join(map(repr, near))} meant?)" if near else ""

"""`import wandb` answered by this package: the switch, and the finder behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .._ground.errors import LosslessError
from .._ground.wandb_names import MODULES

# Switches it on in every Python process that has the package installed, also in children.
VARIABLE = "LOSSLESS_AS_WANDB"
_OFF = ("", "0", "false", "no", "off")


def as_wandb() -> None:
    """
    From here on `import wandb` is answered by this package, in this process and its children,
    whether the package of W&B is installed or not: its modules, `importlib.util.find_spec`, and
    `importlib.metadata`. Children need this package installed. May be called repeatedly. Raises
    LosslessError if the package of W&B was imported before.
    """
    stand_in()
    os.environ[VARIABLE] = "1"


def is_wanted(otherwise: str = "0") -> bool:
    """Whether the environment asks for it; `otherwise` is the value where it says nothing."""
    return os.environ.get(VARIABLE, otherwise).strip().lower() not in _OFF


def stand_in() -> None:
    """Does what `as_wandb` does, in this process only."""
    loaded = [name for name in sys.modules if _is_of_wandb(name) and not _is_ours(sys.modules[name])]
    if any(sys.modules[name] is not sys.modules[__name__.partition(".")[0]] for name in loaded):
        raise LosslessError(
            f"W&B's own package is imported already ({min(loaded)}), and the two cannot be mixed: call "
            f"lossless.as_wandb() before anything imports wandb, or start with {VARIABLE}=1 or "
            "python -m lossless run"
        )
    for name in loaded:
        # A script's own `sys.modules["wandb"] = lossless`.
        del sys.modules[name]
    if not any(isinstance(finder, WandbFinder) for finder in sys.meta_path):
        # Before the one that looks into directories.
        sys.meta_path.insert(0, WandbFinder())


class WandbFinder:
    """
    Finds `wandb`, its modules, and its metadata. It answers as the first, and for all of them, so
    that no module of an installed W&B gets between.
    """

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Returns None for a module that W&B has not: its parent has no path to look on."""
        if not _is_of_wandb(name) or (name != "wandb" and name.split(".")[1] not in MODULES):
            return None
        return ModuleSpec(name, self, origin="lossless", is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        from .modules import module

        return module(spec.name)

    def exec_module(self, _module: ModuleType) -> None:
        """Its names are made when they are asked for."""

    def find_distributions(self, context: Any = None) -> Iterator[Any]:
        """
        Yields the metadata of W&B. Not for one directory that is looked through, as pip does: what
        is installed there stays as it is.
        """
        from .distribution import distribution, is_name

        asked = {} if context is None else vars(context)
        if is_name(asked.get("name")) and asked.get("path", sys.path) == sys.path:
            yield distribution()

    def invalidate_caches(self) -> None:
        """There are none."""


def _is_of_wandb(name: str) -> bool:
    return name == "wandb" or name.startswith("wandb.")


def _is_ours(module: Any) -> bool:
    return isinstance(getattr(getattr(module, "__spec__", None), "loader", None), WandbFinder)

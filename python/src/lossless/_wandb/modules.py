"""The modules `wandb` and `wandb.…` that `as_wandb` answers with."""

from __future__ import annotations

import functools
import os
import sys
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .._ground.counterparts import instead_of
from .._ground.unsupported import Silent, Unsupported
from .._ground.wandb_names import FRAMEWORKS, MODULES, VERSION

# Arguments of W&B's init in the order of 0.31, where a script gives them without names.
_ORDER = (
    "entity project dir id name notes tags config config_exclude_keys config_include_keys "
    "allow_val_change group job_type mode force reinit resume"
).split()

# For `from wandb import *`.
_ALL = (
    "__version__ init finish setup save sweep controller agent config log summary join Api Graph Image Plotly "
    "Video Audio Table EvalTable Html box3d Object3D Molecule Histogram ArtifactTTL log_artifact use_artifact "
    "log_model use_model link_model define_metric watch unwatch plot_table Run"
).split()


class _Module(types.ModuleType):
    """Asks for each name when it is used."""

    def __init__(self, name: str, found: Callable[[str], Any]) -> None:
        super().__init__(name, "Answered by Lossless.")
        self._found = found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if self._found is None:
            # Python ends and has emptied this module: no run is open for objects that end with it.
            return None
        return self._found(name)

    def __repr__(self) -> str:
        return f"<module {self.__name__!r} of Lossless>"


def module(name: str) -> types.ModuleType:
    """Makes a module of W&B's name."""
    if name == "wandb":
        return _top()
    path = name.partition(".")[2]
    return _Module(name, functools.partial(_named_in, path))


def _top() -> types.ModuleType:
    package = sys.modules[__name__.partition(".")[0]]

    def found(name: str) -> Any:
        if name in MODULES:
            # After `import wandb` its modules are there without an import of their own.
            return import_module(f"wandb.{name}")
        return getattr(package, name)

    made = _Module("wandb", found)
    made.__file__ = __file__
    made.__dict__.update(__all__=_ALL, __version__=VERSION, init=init)
    return made


def init(*given: Any, **named: Any) -> Any:
    """
    `lossless.init` with W&B's order of arguments, and its rule for a key logged twice in a step.
    """
    from .._recording.init import init as begin

    return begin(**{**dict(zip(_ORDER, given)), **named}, _keeps_last=True)


def _named_in(path: str, name: str) -> Any:
    """Returns a name in the module `wandb.<path>`."""
    parts = path.split(".")
    if parts[0] in FRAMEWORKS:
        return _of_framework(parts, name)
    if name == "telemetry":
        return Silent(name)
    for key in (parts[0], parts[-1]):
        known = _CONTENTS.get(key)
        found = None if known is None else known(name)
        if found is not None:
            return found
    from .module_names import below

    found = below(name)
    return Unsupported(f"{path}.{name}", named=below, hint=instead_of(parts[0])) if found is None else found


def _of_framework(parts: list[str], name: str) -> Any:
    """Returns a callback: `wandb.integration.keras.callbacks` has the names of `wandb.keras`."""
    from .module_names import framework

    found = framework(parts[0])
    if parts[0] == "integration" and len(parts) > 1:
        found = getattr(found, parts[1])
    return getattr(found, name)


def _of_named(module: str, name: str) -> Any:
    from .module_names import below

    return getattr(below(module), name)


def _of_env(name: str) -> Any:
    """Returns the name of a variable (`wandb.env.PROJECT`), or a function that reads or sets it."""
    if name.isupper():
        return f"WANDB_{name}"
    verb, _, variable = name.partition("_")
    variable = f"WANDB_{variable.upper()}"
    if verb == "get":
        return lambda default=None, env=None: (os.environ if env is None else env).get(variable, default)
    if verb == "set":
        return lambda value, env=None: (os.environ if env is None else env).update({variable: value})
    return None


def _of_util(name: str) -> Any:
    from . import module_functions

    return getattr(module_functions, name, None)


# Contents of modules besides the names of the whole package, by the first or last part of a path.
_CONTENTS: dict[str, Callable[[str], Any]] = {
    "env": _of_env,
    **{name: functools.partial(_of_named, name) for name in ("plot", "plots", "sklearn", "tensorboard")},
    # W&B's statistics of its own use.
    "telemetry": lambda name: Silent(f"telemetry.{name}"),
    "util": _of_util,
}

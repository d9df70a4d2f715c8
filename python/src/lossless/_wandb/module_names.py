"""Names of W&B's module besides recording: `import lossless as wandb` has them, and none raises."""

from __future__ import annotations

import enum
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .._ground.counterparts import instead_of
from .._ground.errors import ConnectionFailed, LosslessError, SettingsError
from .._ground.unsupported import Unsupported, unsupported_class
from .._ground.wandb_names import FRAMEWORKS, OF_MODULE
from .._ground.warning import say, warn
from .._recording.current import current
from .._recording.missing_names import raise_missing_of_module
from .._recording.tensorboard_patch import Tensorboard
from .module_functions import SignedIn, generate_id
from .sweeps import agent, sweep


class AlertLevel(str, enum.Enum):
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"

    def __str__(self) -> str:
        return str(self.value)


def login(*_args: Any, **_kwargs: Any) -> bool:
    """Never prompts: the credential is LOSSLESS_API_KEY or `lossless login`, and no key of W&B."""
    return True


def setup(*_args: Any, **_kwargs: Any) -> Unsupported:
    """Does nothing, as no setup is needed."""
    return Unsupported("setup")


def nothing(*_args: Any, **_kwargs: Any) -> None:
    """Stands in for `teardown`, `require` and `ensure_configured`, which have nothing to change."""


def term(string: Any = "", newline: bool = True, repeat: bool = True) -> None:
    """Prints for `termlog`, `termwarn` and `termerror`."""
    say(f"lossless: {string}", end="\n" if newline else "")


def _of_run(name: str) -> Callable[..., Any]:
    """Returns a function that calls the method of the last `init`'s recording."""

    def called(*args: Any, **kwargs: Any) -> Any:
        run = current()
        if run is None:
            warn(name, f"{name}() before init(): nothing is recorded")
            return Unsupported(name)
        return getattr(run, name)(*args, **kwargs)

    return called


_OF_RUN = (
    "link_artifact link_model log_artifact log_code log_model save use_artifact use_model "
    "upsert_artifact finish_artifact"
).split()
_FUNCTIONS: dict[str, Any] = {
    **{name: _of_run(name) for name in _OF_RUN},
    "AlertLevel": AlertLevel,
    "agent": agent,
    "api": SignedIn(),
    "ensure_configured": nothing,
    "generate_id": generate_id,
    "login": login,
    "require": nothing,
    "setup": setup,
    "sweep": sweep,
    "teardown": nothing,
    "tensorboard": Tensorboard(),
    "termerror": term,
    "termlog": term,
    "termwarn": term,
}

# One class for each name: `isinstance(x, wandb.Image)` must hold for `wandb.data_types.Image`.
_classes: dict[str, Any] = {
    "CommError": ConnectionFailed,
    "Error": LosslessError,
    "UsageError": SettingsError,
    "Unsupported": Unsupported,
}
_CLASSES_MAX = 1_000
# Loaded at first use.
_CLASSES = {
    "Api": ("_wandb.api", "Api"),
    "PublicApi": ("_wandb.api", "Api"),
    "Artifact": ("_artifacts.artifact", "Artifact"),
    "RunDisabled": ("_recording.disabled", "Disabled"),
    "Settings": ("_recording.wandb_settings", "Settings"),
    # The class above all media.
    "WBValue": ("_media.media", "Media"),
    **{
        name: ("_media.media", name)
        for name in ("Audio", "Histogram", "Html", "Image", "Media", "Plotly", "Table", "Video")
    },
}
_frameworks: dict[str, Any] = {}


def named(name: str, own_names: list[str]) -> Any:
    """
    Returns a name of the module. Raises AttributeError for one that neither W&B nor this package
    has.
    """
    if name not in OF_MODULE and name not in _FUNCTIONS:
        raise_missing_of_module(name, own_names)
    if name in FRAMEWORKS:
        return framework(name)
    found = below(name)
    return Unsupported(name, named=below, hint=instead_of(name)) if found is None else found


def _plots() -> Any:
    from .plots import Plots

    return Plots()


def _plot_table(
    vega_spec_name: Any = "", data_table: Any = None, fields: Any = None, *_args: Any, **_others: Any
) -> Any:
    from .._media.media import Plot

    return Plot(str(vega_spec_name), {"fields": dict(fields or {})}, data_table)


def framework(name: str) -> Any:
    """Returns the framework of this name, always the same, like a module."""
    from .callbacks import Framework

    return _frameworks.setdefault(name, Framework(name, name))


def below(name: str) -> Any:
    """
    Returns a name in a module of W&B: `wandb.sdk.data_types.image.Image`, `wandb.util.generate_id`.
    """
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    if name == "Run":
        from .._recording.experiment import Experiment

        return Experiment
    if name in _CLASSES:
        module, own = _CLASSES[name]
        return getattr(import_module(f"..{module}", __package__), own)
    if name in ("plot", "plots"):
        return _plots()
    if name == "sklearn":
        from .sklearn_plots import SklearnPlots

        return SklearnPlots()
    if name == "plot_table":
        return _plot_table
    if name == "Config":
        from .._values.config import Config

        return Config
    if not name[0].isupper() or name.isupper():
        return None
    if name not in _classes and len(_classes) < _CLASSES_MAX:
        is_exception = name.endswith(("Error", "Exception"))
        _classes[name] = (
            type(name, (LosslessError,), {"__module__": "lossless"}) if is_exception else unsupported_class(name)
        )
    return _classes.get(name)

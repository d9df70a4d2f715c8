"""
Records machine-learning experiments with Lossless.

    import lossless

    experiment = lossless.init("mnist", config={"lr": 1e-3})
    for step in range(1000):
        experiment.log({"train/loss": train()}, step=step)
    experiment.finish()

`import lossless as wandb` runs scripts that were written for W&B, and `lossless.as_wandb()`
libraries that import `wandb` themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._ground.version import __version__
from ._recording.current import alert, annotate, checkpoint, current, define_metric, finish, log
from ._recording.current import config as _config_now
from ._recording.current import summary as _summary_now
from ._recording.init import init

if TYPE_CHECKING:
    from collections.abc import Callable

    from . import integrations as integrations
    from . import wire as wire
    from ._artifacts.artifact import Artifact as Artifact
    from ._artifacts.restore import LoadedVersion
    from ._artifacts.used_artifact import UsedArtifact
    from ._artifacts.versions import ArtifactWriter, SavedVersion, open_artifact, save_artifact
    from ._ground.errors import (
        ConnectionFailed,
        EventRefused,
        FileChanged,
        IncompleteStream,
        IntegrityError,
        LosslessError,
        OutcomeUnknown,
        RequestRefused,
        SeriesNotFound,
        SettingsError,
        StoreFailed,
        Superseded,
    )
    from ._media.media import Audio as Audio
    from ._media.media import Histogram as Histogram
    from ._media.media import Html as Html
    from ._media.media import Image as Image
    from ._media.media import Plotly as Plotly
    from ._media.media import Table as Table
    from ._media.media import Video as Video
    from ._reading.reader import Reader, Series
    from ._recording.experiment import Experiment
    from ._recording.loading import load_artifact
    from ._recording.tensorboard_patch import Tensorboard
    from ._saving.checkpoint import PendingCheckpoint
    from ._values.config import Config
    from ._wandb.api import Api as Api
    from ._wandb.door import as_wandb
    from ._wandb.module_names import AlertLevel as AlertLevel
    from ._wandb.module_names import login as login
    from ._wandb.plots import Plots
    from ._wandb.sweeps import agent as agent
    from ._wandb.sweeps import sweep as sweep

    join = finish
    # Functions that act on the recording of the last init.
    log_artifact: Callable[..., Artifact]
    log_model: Callable[..., Artifact]
    link_artifact: Callable[..., Artifact]
    use_artifact: Callable[..., UsedArtifact]
    use_model: Callable[..., str]
    log_code: Callable[..., Artifact | None]
    save: Callable[..., list[str] | bool]
    plot: Plots
    tensorboard: Tensorboard
    # W&B's names of the callbacks in `integrations`.
    xgboost: Any
    lightgbm: Any
    keras: Any
    catboost: Any
    integration: Any
    run: Experiment | None
    config: Config
    summary: Config

__all__ = [
    "ArtifactWriter",
    "ConnectionFailed",
    "EventRefused",
    "Experiment",
    "FileChanged",
    "IncompleteStream",
    "IntegrityError",
    "LoadedVersion",
    "LosslessError",
    "OutcomeUnknown",
    "PendingCheckpoint",
    "Reader",
    "RequestRefused",
    "SavedVersion",
    "Series",
    "SeriesNotFound",
    "SettingsError",
    "StoreFailed",
    "Superseded",
    "__version__",
    "alert",
    "annotate",
    "as_wandb",
    "checkpoint",
    "define_metric",
    "finish",
    "init",
    "load_artifact",
    "log",
    "open_artifact",
    "save_artifact",
]

# Loaded at first use: importing this package must not cost a script anything.
_LATER = {
    "Experiment": "_recording.experiment",
    "Reader": "_reading.reader",
    "Series": "_reading.reader",
    "LoadedVersion": "_artifacts.restore",
    "PendingCheckpoint": "_saving.checkpoint",
    "as_wandb": "_wandb.door",
    "load_artifact": "_recording.loading",
    **dict.fromkeys(("ArtifactWriter", "SavedVersion", "open_artifact", "save_artifact"), "_artifacts.versions"),
    **dict.fromkeys(
        (
            "ConnectionFailed",
            "EventRefused",
            "FileChanged",
            "IncompleteStream",
            "IntegrityError",
            "LosslessError",
            "OutcomeUnknown",
            "RequestRefused",
            "SeriesNotFound",
            "SettingsError",
            "StoreFailed",
            "Superseded",
        ),
        "_ground.errors",
    ),
}


def _named(name: str) -> Any:
    if name in _LATER:
        import importlib

        return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    if name in ("integrations", "wire"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    if name == "run":
        return current()
    if name == "config":
        return _config_now()
    if name == "summary":
        return _summary_now()
    if name == "join":
        return finish
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._wandb.module_names import named

    return named(name, [*__all__, "config", "run", "summary"])


if not TYPE_CHECKING:
    # Type checkers should find misspelled names, too.
    __getattr__ = _named

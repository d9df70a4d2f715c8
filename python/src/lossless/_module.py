"""The functions of the module itself: `import lossless as wandb` finds what it looks for."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any

from ._config import Config, as_mapping

# Names that scripts for W&B use and that have no counterpart here. Whatever is done with them does nothing.
UNSUPPORTED = frozenset(
    "Image Video Audio Table Histogram Html Object3D Molecule Plotly Graph plot Artifact Api Settings sweep agent "
    "controller watch unwatch use_artifact log_artifact log_code save restore login setup teardown require "
    "mark_preempting AlertLevel".split()
)

# Of the object that `init` gives.
UNSUPPORTED_OF_RUNS = frozenset(
    "log_code log_artifact use_artifact link_artifact upsert_artifact save restore watch unwatch mark_preempting "
    "use_model log_model link_model join get_url get_project_url project_name to_html display".split()
)

_warned: set[str] = set()


class _Current:
    """The recording that the functions of the module speak of."""

    experiment: Any = None


def begun(experiment: Any) -> Any:
    previous = _Current.experiment
    if previous is not None and previous is not experiment:
        previous.finish(quiet=True)
    _Current.experiment = experiment
    return experiment


def ended(experiment: Any) -> None:
    """The functions of the module speak of no recording that is over."""
    if _Current.experiment is experiment:
        _Current.experiment = None


def current() -> Any:
    return _Current.experiment


def log(metrics: Mapping[str, Any] | None = None, step: Any = None, **others: Any) -> None:
    """`Experiment.log` of the last `init`."""
    experiment = _Current.experiment
    if experiment is None:
        warn("log", "log() before init(): nothing is recorded")
    else:
        experiment.log(metrics, step, **others)


def annotate(text: str, meta: Mapping[str, Any] | None = None) -> None:
    """`Experiment.annotate` of the last `init`."""
    if _Current.experiment is None:
        warn("annotate", "annotate() before init(): nothing is recorded")
    else:
        _Current.experiment.annotate(text, meta)


def alert(title: str, text: str = "", level: Any = None, **others: Any) -> None:
    """`Experiment.alert` of the last `init`."""
    if _Current.experiment is not None:
        _Current.experiment.alert(title, text, level)


def finish(exit_code: int | None = None, quiet: bool | None = None, **others: Any) -> Any:
    """`Experiment.finish` of the last `init`."""
    experiment = _Current.experiment
    _Current.experiment = None
    return None if experiment is None else experiment.finish(exit_code, quiet=quiet, **others)


def define_metric(name: str, **_others: Any) -> None:
    """Accepted: a series needs no definition."""


class Disabled:
    """A recording that records nothing, for `mode="disabled"`."""

    id = name = url = ""
    directory = None
    report = None
    step = 0

    def __init__(self, config: Any = None) -> None:
        self.config = Config(as_mapping(config), lambda: None)
        self.summary = Config({}, lambda: None)

    def log(self, *_args: Any, **_kwargs: Any) -> None: ...

    def annotate(self, *_args: Any, **_kwargs: Any) -> None: ...

    def alert(self, *_args: Any, **_kwargs: Any) -> None: ...

    def define_metric(self, *_args: Any, **_kwargs: Any) -> None: ...

    def save_artifact(self, *_args: Any, **_kwargs: Any) -> None: ...

    def checkpoint(self, *_args: Any, **_kwargs: Any) -> Any:
        from ._checkpoint import PendingCheckpoint

        return PendingCheckpoint.nothing()

    def finish(self, *_args: Any, **_kwargs: Any) -> None: ...

    def __getattr__(self, name: str) -> Unsupported:
        if name in UNSUPPORTED_OF_RUNS:
            return Unsupported(f"run.{name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __enter__(self) -> Disabled:
        return self

    def __exit__(self, *_args: Any) -> None: ...


class Unsupported:
    """Stands for something that has no counterpart: may be called, entered, looped over, and does nothing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_args: Any, **_kwargs: Any) -> Unsupported:
        warn(self._name, f"{self._name} has no counterpart here and does nothing")
        return self

    def __getattr__(self, name: str) -> Unsupported:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unsupported(f"{self._name}.{name}")

    def __enter__(self) -> Unsupported:
        return self

    def __exit__(self, *_args: Any) -> None: ...

    def __iter__(self) -> Any:
        return iter(())

    def __repr__(self) -> str:
        return f"<lossless: {self._name} has no counterpart>"


def ignore(others: Mapping[str, Any], where: str) -> None:
    """Arguments of other trackers, told once."""
    for name, value in others.items():
        if value is not None:
            warn(f"{where}.{name}", f"{where}({name}=…) has no counterpart and is ignored")


def warn(what: str, text: str) -> None:
    """Once; never an exception, also where warnings are errors."""
    if what in _warned:
        return
    _warned.add(what)
    try:
        warnings.warn(f"lossless: {text}", RuntimeWarning, stacklevel=3)
    except Warning:
        print(f"lossless: {text}", file=sys.stderr)

"""The module's own functions, which act on one recording: that of the last `init`."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .._ground.counterparts import instead_of
from .._ground.errors import LosslessError, SettingsError
from .._ground.warning import say, warn
from .._values.config import Config

if TYPE_CHECKING:
    from .._saving.checkpoint import PendingCheckpoint

# Values of W&B's arguments of init that ask for the behaviour here.
_MEANT_ANYWAY = {"force": (True,), "allow_val_change": (True,), "anonymous": ("allow", "must", "never")}
_REINIT = ("default", "return_previous", "create_new", "finish_previous")


class Swept:
    """Values chosen by a sweep for the next `init`, and the recording that it began."""

    def __init__(self, values: dict[str, Any], sweep_id: str, project: str | None) -> None:
        self.values = values
        self.sweep_id = sweep_id
        self.project = project
        self.experiment: Any = None


class _Current:
    experiment: Any = None
    # The last recording that ended, for calls that come too late.
    ended: Any = None
    # Recordings of this process without a given name.
    made_up = 0
    # Running recordings, latest last; the list keeps none of them alive.
    active: ClassVar[list[weakref.ref[Any]]] = []
    # Config set before init(), kept for the next recording.
    config_before: Config | None = None
    swept: Swept | None = None


def begun(experiment: Any, becomes_current: bool = True, swept: Swept | None = None) -> Any:
    """
    Makes a recording the current one of the module's functions; an earlier one continues with its
    own `log`.
    """
    if swept is not None:
        swept.experiment = experiment
    if becomes_current or not _is_active(_Current.experiment):
        _Current.experiment = experiment
    if not experiment.disabled:
        _Current.active = [*(each for each in _Current.active if _is_active(each())), weakref.ref(experiment)]
    before, _Current.config_before = _Current.config_before, None
    if before:
        experiment.config.setdefaults(before)
    announce(experiment)
    return experiment


def choose_next(swept: Swept) -> None:
    _Current.swept = swept


def chosen() -> Swept | None:
    """Returns the values chosen for the next `init`, once."""
    swept, _Current.swept = _Current.swept, None
    return swept


def next_made_up() -> int:
    """Returns the number of earlier recordings without a name."""
    _Current.made_up += 1
    return _Current.made_up - 1


def announce(experiment: Any) -> None:
    """Prints the name, which may be made up, so that the user learns it."""
    if experiment.disabled or not experiment._info.is_primary or experiment.directory is None:
        return
    if experiment._is_silent:
        return
    where = f"into {experiment.directory}" if experiment.offline else f"at {experiment.url}"
    say(f"lossless: recording {experiment.slug} {where}")


def ended(experiment: Any) -> None:
    """Detaches a recording that has ended from the module's functions."""
    if _Current.experiment is experiment:
        _Current.experiment = None
        _Current.ended = experiment


def current() -> Any:
    return _Current.experiment


def config() -> Any:
    if _Current.experiment is not None:
        return _Current.experiment.config
    if _Current.config_before is None:
        _Current.config_before = Config(
            {}, lambda: warn("config", "config is changed before init(): kept for the next recording")
        )
    return _Current.config_before


def summary() -> Any:
    if _Current.experiment is not None:
        return _Current.experiment.summary
    return Config({}, lambda: warn("summary", "summary is changed without init(): nothing is recorded"))


def log(metrics: Mapping[str, Any] | None = None, step: Any = None, **others: Any) -> None:
    """`Experiment.log` of the last `init`."""
    experiment = _Current.experiment or _Current.ended
    if experiment is None:
        warn("log", "log() before init(): nothing is recorded")
    else:
        experiment.log(heard(metrics, others), step, **others)


def heard(metrics: Mapping[str, Any] | None, others: dict[str, Any]) -> Mapping[str, Any] | None:
    """
    Returns the metrics, which W&B calls `data`. Warns of arguments that `log` does not know, and
    empties `others`.
    """
    data = others.pop("data", None)
    for name in [name for name in others if name not in ("commit", "meta", "timestamp_ms")]:
        others.pop(name)
        # It has been without meaning for long, and is harmless.
        if name != "sync":
            warn(f"log.{name}", f"log({name}=…) is not known and is ignored; metrics are a dict: log({{{name!r}: …}})")
    return data if metrics is None else metrics


def annotate(text: str, meta: Mapping[str, Any] | None = None) -> None:
    """`Experiment.annotate` of the last `init`."""
    if _Current.experiment is None:
        warn("annotate", "annotate() before init(): nothing is recorded")
    else:
        _Current.experiment.annotate(text, meta)


def alert(title: str, text: str = "", level: Any = None, **others: Any) -> None:
    """`Experiment.alert` of the last `init`."""
    if _Current.experiment is None:
        warn("alert", "alert() before init(): nothing is recorded")
    else:
        _Current.experiment.alert(title, text, level)


def checkpoint(
    state: Any,
    name: str = "checkpoint",
    *,
    step: int | None = None,
    meta: Mapping[str, Any] | None = None,
    every_rank: bool = False,
    experiment: Any = None,
) -> PendingCheckpoint:
    """
    Saves a PyTorch state (`{"model": model.state_dict(), "optimizer": optimizer.state_dict(),
    "step": step}`) as a version of the artifact `<experiment>/<name>`, in one file `checkpoint.pt`.

    Copies the tensors to CPU memory and returns; threads write and send them while the training
    continues. `wait()` returns the version, or raises; unsaved checkpoints are in the report of
    `finish`, too. The version is the step; after going back to an earlier step, the number above
    the latest version (the step is in the meta).

    When two are unsent, the call waits, at most 30 seconds. While a save takes longer than that, it
    no longer waits: of the waiting checkpoints the newest is sent, the others are skipped and
    counted. A script that waits for each (`checkpoint(…).wait()`) has all of them.

    The first of several ranks saves, the others do nothing. With `every_rank`, and where the state
    holds sharded tensors (DTensor), each saves its own part as `<name>-rank<n>`.

    `experiment` defaults to that of the last `init`. Without torch: LosslessError.
    """
    recording = _Current.experiment if experiment is None else experiment
    if recording is None:
        raise LosslessError("checkpoint() before init(): there is no experiment to save it below")
    pending: PendingCheckpoint = recording.checkpoint(state, name, step=step, meta=meta, every_rank=every_rank)
    return pending


def finish(exit_code: int | None = None, quiet: bool | None = None, **others: Any) -> Any:
    """`Experiment.finish` of the last `init`."""
    experiment = _Current.experiment
    try:
        return None if experiment is None else experiment.finish(exit_code, quiet=quiet, **others)
    finally:
        ended(experiment)


def define_metric(name: str, *_args: Any, **others: Any) -> Any:
    """`Experiment.define_metric` of the last `init`."""
    if _Current.experiment is not None:
        return _Current.experiment.define_metric(name, *_args, **others)
    import types

    return types.SimpleNamespace(name=str(name), **others)


def ignore(others: Mapping[str, Any], where: str) -> None:
    """Warns of arguments of other trackers, once for each."""
    for name, value in others.items():
        # Only words are compared: values may be anything, and comparing them may have any effect.
        word = value if isinstance(value, (str, bool)) else ""
        if value is not None and word is not False and word not in _MEANT_ANYWAY.get(name, ()):
            warn(f"{where}.{name}", f"{where}({name}=…) has no counterpart and is ignored{instead_of(name)}")


def previous(reinit: Any, slug: str | None, resume: str | None) -> Any:
    """
    Returns the recording of this process that `init` reuses; None: it begins a new one. `slug`: the
    one that the script names, if any. Earlier ones are ended if `reinit` says so, or in a notebook,
    where cells are run again without finishing. Raises SettingsError.
    """
    word = "default" if reinit is None else reinit
    if isinstance(word, bool):
        word = "finish_previous" if word else "return_previous"
    if not isinstance(word, str) or word not in _REINIT:
        raise SettingsError(f"reinit is {', '.join(_REINIT[1:])}, True or False, not {reinit!r}")
    active: list[Any] = [each for each in (known() for known in _Current.active) if _is_active(each)]
    if word == "finish_previous" or (word == "default" and _in_notebook()):
        for each in active:
            each.finish()
        return None
    if not active or word == "create_new":
        return None
    same = next((each for each in reversed(active) if each.slug == slug), None)
    if slug is not None and same is None and word == "default":
        # Its points do not belong into another experiment.
        return None
    last = same or active[-1]
    if resume == "must":
        raise SettingsError(f"{last.slug} is being recorded: finish it before you resume another run")
    say(
        f"lossless: {last.slug} is being recorded: init() returns it; reinit='create_new' begins "
        "another one, 'finish_previous' ends this one first"
    )
    return last


def _is_active(experiment: Any) -> bool:
    """Whether it is running in this process: a forked child has its own."""
    if experiment is None or experiment.disabled or experiment.is_finished:
        return False
    return bool(experiment._pid == os.getpid())


def _in_notebook() -> bool:
    """Whether a kernel runs this process: a program that only imports ipykernel has no shell."""
    if "ipykernel" not in sys.modules:
        return False
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "ipykernel" in type(shell).__module__

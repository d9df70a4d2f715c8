"""The experiment of a callback: a given one, or its own."""

from __future__ import annotations

import atexit
import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from .._recording.current import current
from .._recording.init import init


class Recording:
    """
    Begins when first needed: a callback can be made, copied and pickled before the training.

    Its own experiment stays open after a training, because an evaluation may follow, until
    `finish`, the next training, the own experiment of another callback, or the end of the callback
    or the process. Later values continue it.
    """

    # The one open after its training, at most one: each has a sender process.
    _idle: ClassVar[weakref.ref[Recording] | None] = None

    def __init__(self, experiment: Any, arguments: dict[str, Any], is_ended: Callable[[], bool] | None = None) -> None:
        """`is_ended` detects the end of a training that the framework does not report."""
        self._given = experiment
        self._arguments = arguments
        self._is_ended = is_ended
        self._experiment: Any = experiment
        # Whether this, or the one that it is a copy of, has begun it; and whether this one ends it.
        self._is_begun = False
        self._is_own = False
        self._is_training = False
        self._has_trained = False
        self._exit: Callable[[], None] | None = None

    @property
    def has_begun(self) -> bool:
        return self._experiment is not None

    @property
    def experiment(self) -> Any:
        begun = self._experiment
        if begun is not None and begun is not self._given and begun.is_finished is True:
            # It was ended elsewhere.
            self._experiment = None
            if self._is_begun:
                self._begin({**self._arguments, **_as_it_was(begun)})
        if self._experiment is None and not self._arguments:
            self._experiment = current()
        if self._experiment is None:
            self._begin(self._arguments)
        return self._experiment

    def training(self, goes_on: bool = False) -> Any:
        """
        Returns the experiment of a training that begins; that of the previous training is ended.
        `goes_on`: it continues the previous one, judged by its first step.
        """
        if (self._is_training or self._has_trained) and not goes_on:
            self.finish(self._failure())
        experiment = self.experiment
        self._is_training = True
        return experiment

    def trained(self) -> None:
        """Notes that the training has ended well."""
        self._is_training, self._has_trained = False, True
        if self._is_own:
            Recording._idle = weakref.ref(self)

    def finish(self, error: str | None = None) -> None:
        """Ends what was begun here; another training with the same callback begins again."""
        if self._exit is not None:
            atexit.unregister(self._exit)
            self._exit = None
        if self._is_own:
            self._experiment.finish(error=error)
        self._experiment = self._given
        self._is_begun = self._is_own = self._is_training = self._has_trained = False

    def give_up(self, timeout: float = 30.0) -> None:
        """
        Ends it when the callback is gone or the process ends: the outcome of the training is
        unknown.
        """
        failure = self._failure()
        # An exception that ends the whole script says more, and the experiment has it.
        is_known = hasattr(sys, "last_value") and not hasattr(sys, "ps1")
        if self._is_own and not self._experiment.is_finished and failure is not None and not is_known:
            self._experiment.finish(error=failure, timeout=timeout)

    def __del__(self) -> None:
        if getattr(self, "_exit", None) is not None:
            self.give_up(timeout=0.0)

    def __getstate__(self) -> dict[str, Any]:
        """
        A copy records into the same experiment, and leaves its end to this one; later values reopen
        it, and the copy ends it.
        """
        return {**self.__dict__, "_is_own": False, "_exit": None}

    def _begin(self, arguments: dict[str, Any]) -> None:
        idle = None if Recording._idle is None else Recording._idle()
        Recording._idle = None
        if idle is not None and idle is not self and idle._is_own:
            # Later values of its callback continue it.
            idle._experiment.finish()
        self._is_own = False
        # Its own, even beside one of the script.
        self._experiment = init(**{"reinit": "create_new", **arguments})
        self._is_begun = self._is_own = True
        if self._exit is None:
            # Registered last, it runs before the experiment's own end.
            self._exit = functools.partial(_give_up, weakref.ref(self))
            atexit.register(self._exit)

    def _failure(self) -> str | None:
        """Returns why the training failed, if its end was not reported; None: it did not."""
        if not self._is_training or (self._is_ended is not None and self._is_ended()):
            return None
        return "the training did not finish"


def _as_it_was(ended: Any) -> dict[str, Any]:
    """Returns arguments of `init` that change nothing: an opening replaces description and meta."""
    return {
        "id": None,
        "slug": ended.slug,
        "_after": ended,
        "name": None if ended.name == ended.id else ended.name,
        "config": ended.config.as_dict(),
        "notes": ended.notes or None,
        "tags": ended.tags or None,
        "group": ended.group or None,
        "job_type": ended.job_type or None,
    }


def _give_up(recording: weakref.ref[Recording]) -> None:
    known = recording()
    if known is not None:
        known.give_up()


def absent(framework: str, package: str, error: ImportError) -> ImportError:
    """Builds the error to raise when the framework cannot be imported."""
    return ImportError(
        f"this integration needs {framework}, which cannot be imported ({error}): pip install {package}",
        name=error.name,
    )

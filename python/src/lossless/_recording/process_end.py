"""A process that ends without `finish` ends its recordings too."""

from __future__ import annotations

import atexit
import contextlib
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .._ground.signal_handlers import is_of_signal_handler

# All recordings share it: a service that is away holds a process no longer than one finish.
_SECONDS = 30.0


class Ending(Protocol):
    """What the end of a process wants of a recording."""

    @property
    def place(self) -> int: ...
    def finish(self, *, error: str | None, timeout: float) -> Any: ...


class ProcessEnd:
    """
    Finishes the recordings of a process at its end: as failed after an exception that nobody
    caught, and after `sys.exit` with anything but 0. (`raise SystemExit(1)` leaves no trace that
    could be seen.) One for the process, since stacked hooks could not be taken away again.
    """

    _only: ProcessEnd | None = None

    @classmethod
    def watch(cls, experiment: Ending) -> None:
        """Watches a recording weakly: one that nobody holds any more is over before."""
        if cls._only is None:
            cls._only = cls()
        cls._only._experiments.add(experiment)

    @classmethod
    def forget(cls, experiment: Ending) -> None:
        if cls._only is not None:
            cls._only._experiments.discard(experiment)

    def __init__(self) -> None:
        self._experiments: weakref.WeakSet[Ending] = weakref.WeakSet()
        self._uncaught: str | None = None
        # What sys.exit was called with, and how far each recording was: one that grew survived.
        self._exit: str | None = None
        self._places: dict[int, int] = {}
        atexit.register(self._at_exit)
        self._next_hook = sys.excepthook
        self._next_exit: Callable[..., Any] = sys.exit
        sys.excepthook = self._note_uncaught
        sys.exit = self._note_exit  # type: ignore[assignment]

    def _note_uncaught(self, kind: Any, error: BaseException, trace: Any) -> None:
        # At a prompt the process goes on; anywhere else it ends, whatever its threads still log.
        if not hasattr(sys, "ps1") and not sys.flags.interactive:
            self._uncaught = words_of_error(error)
        self._next_hook(kind, error, trace)

    def _note_exit(self, status: Any = None, /) -> None:
        self._exit = error_of_exit(status)
        self._places = {id(each): each.place for each in self._experiments}
        self._next_exit(status)

    def _at_exit(self) -> None:
        ends = time.monotonic() + _SECONDS
        for experiment in list(self._experiments):
            error = self._uncaught
            if error is None and self._places.get(id(experiment)) == experiment.place:
                error = self._exit
            try:
                experiment.finish(error=error, timeout=max(0.0, ends - time.monotonic()))
            except KeyboardInterrupt:
                # Another Ctrl-C: nothing waits any more, and Python would print a trace here. What
                # was interrupted before its end was written is ended now; else it tells no more.
                ends = 0.0
                with contextlib.suppress(KeyboardInterrupt):
                    experiment.finish(error=error, timeout=0.0)


def error_of_exit(status: Any) -> str | None:
    """The failure that `sys.exit(status)` tells; None: all went well."""
    if status is None or (isinstance(status, int) and status == 0):
        return None
    return f"exit code {int(status)}" if isinstance(status, int) else text_of(status)


def words_of_error(error: BaseException) -> str:
    """Its kind and its text, which for example a KeyboardInterrupt does not have."""
    kind, text = type(error).__name__, text_of(error)
    return f"{kind}: {text}" if text else kind


def text_of(value: Any) -> str:
    """The text of anything, also of an exception whose text raises another one."""
    try:
        return str(value)
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        return f"<{type(value).__name__}>"

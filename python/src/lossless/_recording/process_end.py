"""Ends the recordings of a process that ends without `finish`."""

from __future__ import annotations

import atexit
import contextlib
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from .._ground.signal_handlers import is_of_signal_handler

# Shared by all recordings: an unreachable service holds a process no longer than one finish.
_SECONDS = 30.0


class Ending(Protocol):
    """The part of a recording needed at the end of a process."""

    @property
    def place(self) -> int: ...
    def finish(self, *, error: str | None, timeout: float) -> Any: ...


class ProcessEnd:
    """
    Finishes the recordings of a process at its end: as failed after an uncaught exception, and
    after `sys.exit` with anything but 0. (`raise SystemExit(1)` leaves no visible trace.) One for
    the process, since stacked hooks could not be removed again.
    """

    _only: ProcessEnd | None = None

    @classmethod
    def watch(cls, experiment: Ending) -> None:
        """Watches a recording weakly: an unreferenced one ends before."""
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
        # The argument of sys.exit, and the place of each recording then: one that grew since went
        # on.
        self._exit: str | None = None
        self._places: dict[int, int] = {}
        atexit.register(self._at_exit)
        self._next_hook = sys.excepthook
        self._next_exit: Callable[..., Any] = sys.exit
        sys.excepthook = self._note_uncaught
        sys.exit = self._note_exit  # type: ignore[assignment]

    def _note_uncaught(self, kind: Any, error: BaseException, trace: Any) -> None:
        # At a prompt the process continues; anywhere else it ends, whatever its threads still log.
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
                # Another Ctrl-C: nothing waits any more, and Python would print a traceback here. A
                # recording interrupted before its end was written is ended now, without further
                # output.
                ends = 0.0
                with contextlib.suppress(KeyboardInterrupt):
                    experiment.finish(error=error, timeout=0.0)


def error_of_exit(status: Any) -> str | None:
    """Returns the failure meant by `sys.exit(status)`; None: success."""
    if status is None or (isinstance(status, int) and status == 0):
        return None
    return f"exit code {int(status)}" if isinstance(status, int) else text_of(status)


def words_of_error(error: BaseException) -> str:
    """Returns an error's kind and its text, which a KeyboardInterrupt, for example, lacks."""
    kind, text = type(error).__name__, text_of(error)
    return f"{kind}: {text}" if text else kind


def text_of(value: Any) -> str:
    """Returns the text of anything, even of an exception whose text raises another one."""
    try:
        return str(value)
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        return f"<{type(value).__name__}>"

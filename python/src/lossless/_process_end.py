"""A process that ends without `finish` ends its recordings too."""

from __future__ import annotations

import atexit
import sys
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._experiment import Experiment


class ProcessEnd:
    """
    Finishes a recording at the end of the process: as failed after an exception that nobody caught, and after
    `sys.exit` with anything but 0. Holds it weakly, since a recording that nobody holds any more is over before.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = weakref.ref(experiment)
        # What would end the process as failed, and how far the recording was then: one that goes on has survived it.
        self._error: str | None = None
        self._place = -1
        atexit.register(self._at_exit)
        self._next_hook = sys.excepthook
        self._next_exit = sys.exit
        self._hook = self._note_uncaught
        self._exit = self._note_exit
        sys.excepthook = self._hook
        sys.exit = self._exit  # type: ignore[assignment]

    def forget(self) -> None:
        """The recording is over. Hooks that others have put over ours stay, and ours then only passes on."""
        atexit.unregister(self._at_exit)
        self._experiment = lambda: None  # type: ignore[assignment]
        if sys.excepthook is self._hook:
            sys.excepthook = self._next_hook
        if sys.exit is self._exit:
            sys.exit = self._next_exit

    def _note_uncaught(self, kind: Any, error: BaseException, trace: Any) -> None:
        # At a prompt the process goes on after it.
        if not hasattr(sys, "ps1") and not sys.flags.interactive:
            self._note(f"{kind.__name__}: {error}")
        self._next_hook(kind, error, trace)

    def _note_exit(self, status: Any = None, /) -> None:
        error = error_of_exit(status)
        if error is not None:
            self._note(error)
        self._next_exit(status)

    def _note(self, error: str) -> None:
        experiment = self._experiment()
        if experiment is not None:
            self._error = error
            self._place = experiment.place

    def _at_exit(self) -> None:
        experiment = self._experiment()
        if experiment is not None:
            experiment.finish(error=self._error if self._place == experiment.place else None)


def error_of_exit(status: Any) -> str | None:
    """What `sys.exit(status)` says of how it went; None: well."""
    if status is None or (isinstance(status, int) and status == 0):
        return None
    return f"exit code {int(status)}" if isinstance(status, int) else str(status)

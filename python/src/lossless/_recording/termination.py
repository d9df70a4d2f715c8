"""
Leaves a mark in a recording whose process SIGTERM ends, as schedulers do when preempting, so that
the experiment does not look crashed.

No Python handler is set: handlers of the script or a library stay in effect, and the signal ends
the process at once. `faulthandler` writes the mark in C, and lets the signal go on.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from pathlib import Path

from .._ground.own_file import OwnFile, opened_to_append
from .._ground.signal_handlers import is_of_signal_handler
from .._spool.spool import TERMINATED_FILE


class Termination:
    """The mark of this process, like the signal a single one for all recordings."""

    _only: Termination | None = None

    def __init__(self) -> None:
        self._directories: set[Path] = set()
        self._file: OwnFile | None = None
        self._path = Path()
        self._forking = _Forking()
        os.register_at_fork(before=self._hold, after_in_parent=self._let_go, after_in_child=self._begin_child)

    @classmethod
    def watch(cls, directory: Path) -> None:
        if hasattr(faulthandler, "register") and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            cls._only = cls._only or cls()
            try:
                cls._only._watch(directory)
            except (OSError, ValueError, RuntimeError) as error:
                if is_of_signal_handler(error):
                    raise

    @classmethod
    def forget(cls, directory: Path) -> None:
        if cls._only is not None:
            cls._only._directories.discard(directory)
            if not cls._only._directories:
                cls._only._leave()

    def _watch(self, directory: Path) -> None:
        path = directory / TERMINATED_FILE
        if self._file is not None and not self._file.is_lost():
            # One file is written; the marks of other recordings are links to it.
            try:
                os.link(self._path, path)
                self._directories.add(directory)
                return
            except OSError:
                # It is on another disk: only the newest recording gets the mark.
                self._leave()
        self._file, self._path = opened_to_append(path), path
        faulthandler.register(signal.SIGTERM, file=self._file.number, all_threads=False, chain=True)
        self._directories.add(directory)

    def _hold(self) -> None:
        """
        Blocks SIGTERM until `_begin_child`: a child ended before would mark its parent's recording.
        """
        self._forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def _let_go(self) -> None:
        if self._forking.mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._forking.mask)
            self._forking.mask = None

    def _begin_child(self) -> None:
        self._leave()
        self._let_go()

    def _leave(self) -> None:
        """Stops marking: a child that its parent ends is no recording that was ended."""
        if self._file is None:
            return
        # Where the script has set a handler since, ours is not active, and the script's must stay.
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            faulthandler.unregister(signal.SIGTERM)
        self._file.close()
        self._file = None
        self._directories.clear()


class _Forking(threading.local):
    """The signals that a forking thread had blocked."""

    mask: set[int] | None = None

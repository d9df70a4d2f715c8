"""
`init(sync_tensorboard=True)`: what a script writes for TensorBoard is recorded in its own run.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from .._ground.warning import counted, warn
from .event_file import EventFile, told_kinds
from .names import is_event_file
from .tfrecord import Damage, Record
from .writers import Writers, open_event_files

_POLL_SECONDS = 1.0
# The time is of this machine's clock, in whole seconds.
_CLOCK_SLACK_SECONDS = 2.0
# Names of Keras' directories, which would otherwise share their tags.
_PARTS = ("train", "validation", "val", "eval", "test")
# PyTorch names the directory of hyperparameters by the time.
_TIME = re.compile(r"\d{9,}(\.\d+)?")
_CREATED = re.compile(r"tfevents\.(\d{9,})\.")

# Numbers, texts and media, and the step and the time of an event.
Row = tuple[dict[str, Any], int, int]


class Recording(Protocol):
    """The recording that the numbers go into."""

    def _log_rows(self, rows: list[Row]) -> None: ...


class FollowedEvents:
    """
    Follows event files for one recording. A thread looks each second at those of this process, and
    at everything below `root`. Their values are recorded with their own steps and times; the steps
    of `log` do not advance.
    """

    # Shared by all recordings of this process: a file belongs to the one that began to read it.
    _taken: dict[str, int] = {}
    # All files read: one of them may be renamed, or copied.
    _read: list[EventFile] = []
    _numbers = itertools.count()

    def __init__(self, experiment: Recording, root: str | None = None) -> None:
        self._experiment = weakref.ref(experiment)
        self._number = next(self._numbers)
        self._pid = os.getpid()
        self._since = time.time() - _CLOCK_SLACK_SECONDS
        self._roots: list[str] = [] if not root else [os.path.abspath(root)]
        # In the order in which they were found.
        self._directories: list[str] = []
        self._files: dict[str, tuple[EventFile, str]] = {}
        self._others: Counter[str] = Counter()
        self._ending = threading.Event()
        self._ended = threading.Event()
        Writers.watch(self._told)
        # A daemon: a script may forget to finish, and the end of the process finishes.
        threading.Thread(target=self._follow, name="lossless-tensorboard", daemon=True).start()

    def add_root(self, root: str) -> None:
        self._roots.append(os.path.abspath(root))

    def wait(self, seconds: float) -> None:
        """Waits until everything written so far is recorded, or the time is over."""
        if self._pid != os.getpid():
            return
        self._ending.set()
        if not self._ended.wait(max(0.0, seconds)):
            warn("sync_tensorboard", "sync_tensorboard: there was not enough time to read all event files")
        if self._others:
            warn(
                "sync_tensorboard others",
                f"sync_tensorboard: {counted(self._others.total(), 'value')} of event files left out "
                f"({told_kinds(self._others)})",
            )

    def _told(self, directory: str) -> bool:
        if self._experiment() is None or self._ending.is_set() or self._pid != os.getpid():
            return False
        if directory not in self._directories:
            self._directories.append(directory)
        return True

    def _follow(self) -> None:
        try:
            while not self._ending.wait(_POLL_SECONDS) and self._experiment() is not None:
                self._take()
            self._take()
            Writers.flush()
            self._take()
        except Exception as error:
            warn("sync_tensorboard failed", f"sync_tensorboard ended: {error!r}")
        finally:
            self._ended.set()

    def _take(self) -> None:
        self._find()
        for path, (file, namespace) in list(self._files.items()):
            for found in file.take():
                experiment = self._experiment()
                if experiment is None:
                    return
                experiment._log_rows(list(self._rows(file, namespace, found)))
                del experiment
            for damage in file.damages:
                warn(f"sync_tensorboard {damage}", f"sync_tensorboard: damaged: {damage}")
            if file.is_replaced:
                self._files[path] = (_begun(path), namespace)

    def _rows(self, file: EventFile, namespace: str, found: list[Record | Damage]) -> Iterator[Row]:
        before = file.others.copy()
        beside = [each for each in FollowedEvents._read if each is not file and each.path.parent == file.path.parent]
        for _, event in file.events(found, beside):
            values: dict[str, Any] = {f"{namespace}{scalar.tag}": scalar.value for scalar in event.scalars}
            values.update((f"{namespace}{each.name}", each.content) for each in event.logged)
            if values:
                yield values, event.step, round(event.wall_time * 1000)
        self._others.update(file.others - before)

    def _find(self) -> None:
        """Finds new files, each once."""
        for path in open_event_files():
            directory = os.path.dirname(path)
            if self._is_free(path) and directory not in self._directories:
                self._directories.append(directory)
            self._begin(path, is_own=True)
        for directory in list(self._directories):
            for name in _names(directory):
                self._begin(os.path.join(directory, name), is_own=False)
        for root in self._roots:
            for directory, _, names in os.walk(root):
                for name in names:
                    self._begin(os.path.join(directory, name), is_own=False)

    def _begin(self, path: str, is_own: bool) -> None:
        real = os.path.realpath(path)
        if not is_event_file(os.path.basename(path)) or real in self._files or not self._is_free(real):
            return
        if is_own or self._is_new(path):
            FollowedEvents._taken[real] = self._number
            self._files[real] = (_begun(path), self._namespace(os.path.dirname(path)))

    def _is_free(self, path: str) -> bool:
        return FollowedEvents._taken.get(os.path.realpath(path), self._number) == self._number

    def _is_new(self, path: str) -> bool:
        """
        Whether it belongs to this run, and was not left in the same directory by an earlier
        training.
        """
        created = _CREATED.search(os.path.basename(path))
        if created is not None and int(created[1]) >= self._since:
            return True
        try:
            return os.stat(path).st_mtime >= self._since
        except OSError:
            return False

    def _namespace(self, directory: str) -> str:
        """Returns the prefix of tags: none for the first directory, or for a named root."""
        for root in self._roots:
            if directory == root or directory.startswith(root + os.sep):
                return _prefix(os.path.relpath(directory, root))
        first = self._directories[0] if self._directories else directory
        if directory == first:
            name = os.path.basename(directory)
            return _prefix(name) if name in _PARTS else ""
        if directory.startswith(first + os.sep):
            return _prefix(os.path.relpath(directory, first))
        return _prefix(os.path.relpath(directory, os.path.commonpath([os.path.dirname(first), directory])))


def _begun(path: str) -> EventFile:
    file = EventFile(Path(path))
    FollowedEvents._read.append(file)
    return file


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        # It may be created later.
        return []


def _prefix(path: str) -> str:
    parts = [part for part in path.split(os.sep) if part not in (".", "") and not _TIME.fullmatch(part)]
    return "".join(f"{part}/" for part in parts)

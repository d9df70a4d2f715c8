"""
`lossless import tensorboard`: runs of event files become experiments.

Nothing is kept on this machine: the event files are the spool. The id of a point is made of its
file's first record, the place and content of its own record, and its index among the record's
values. Repeating an import, or continuing after a crash, sends the same ids, and the service stores
each of them once, even if the file was renamed.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._service.login import LoginCredential
from .._service.service import Service
from .folding import FoldedRun, Folding, named_by_time, of_one_run
from .names import is_event_file, is_hidden, slug_of
from .progress_bar import ProgressBar
from .run import Run, Wait
from .stopping import Patience, Stop

_POLL_SECONDS = 1.0
# Seconds for a silent service after Ctrl-C with `follow`: the next import sends the rest.
_LAST_SECONDS = 5.0


def import_tensorboard(
    root: Path,
    project: str | None,
    settings: Settings,
    printed: TextIO,
    *,
    follow: bool = False,
    patience: float = 60.0,
) -> bool:
    """
    Imports what is there now; with `follow` until Ctrl-C, which sends what is there then. True: all
    of it is stored. `patience`: seconds without any reply of the service before it gives up; with
    `follow` it waits as long as needed.
    """
    key = settings.credential
    if key is None:
        raise LosslessError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
    credential: Callable[[], str] = (
        LoginCredential(settings.url) if settings.organization is not None else lambda: str(key)
    )
    service = Service(settings.url, credential, settings.organization)
    out = ProgressBar(printed)
    stop = Stop()
    patient = Patience(None if follow else patience, _LAST_SECONDS if follow else 0.0, stop, out)
    is_stopped = (lambda: False) if follow else (lambda: stop.is_asked)
    importer = Importer(root, project, service, patient.wait, out, is_stopped, is_live=follow, settings=settings)
    try:
        with stop:
            importer.take(is_once=not follow)
            while follow and not stop.is_asked:
                stop.wait(_POLL_SECONDS)
                importer.take()
            return importer.end()
    finally:
        out.clear()
        service.close()


class Importer:
    """All runs below a directory. Each `take` finds new runs and files."""

    def __init__(
        self,
        root: Path,
        project: str | None,
        service: Service,
        wait: Wait,
        out: TextIO | ProgressBar,
        is_stopped: Callable[[], bool] = lambda: False,
        is_live: bool = False,
        *,
        settings: Settings,
    ) -> None:
        if not root.is_dir():
            raise LosslessError(f"{root} is not a directory")
        self._root = root
        self._project = project or root.resolve().name or "tensorboard"
        self._service = service
        self._settings = settings
        self._wait = wait
        self._out = out if isinstance(out, ProgressBar) else ProgressBar(out)
        self._is_stopped = is_stopped
        self._is_live = is_live
        self._is_cut = False
        # Directories that could not be read the last time.
        self._problems: list[str] = []
        self._folding = Folding()
        self.runs: dict[str, Run] = {}
        self._ended: set[Run] = set()

    def take(self, is_once: bool = False) -> None:
        """Sends what is new, until it is stopped. `is_once`: reports each run when done."""
        found = list(self._found(is_last=not self._is_live))
        whole = sum(_size_of(path) for each in found for path in each.paths)
        before = 0
        for number, each in enumerate(found):
            run = self._run(each.directory)
            if is_once:
                run.sent = functools.partial(self._show, run, before, whole, f"{number} of {len(found)} runs")
            run.take(each.names, each.folded)
            if self._is_stopped():
                self._is_cut = True
                return
            if is_once:
                self._end(run)
            before += run.bytes_read

    def end(self) -> bool:
        """Reports the outcome of everything. True: all of it is stored."""
        if self._is_live:
            for each in self._found(is_last=True):
                self._run(each.directory).take(each.names, each.folded)
        for run in self.runs.values():
            if run not in self._ended:
                self._end(run)
        for problem in self._problems:
            print(problem, file=self._out)
        runs = self.runs.values()
        if len(runs) > 1:
            points, left_out = (sum(counts) for counts in zip(*(run.counts() for run in runs)))
            left = f", {left_out:,} values left out" if left_out else ""
            print(f"{len(runs):,} runs, {points:,} points{left}", file=self._out)
        if self._is_cut:
            print("stopped early: the same command imports the rest", file=self._out)
        elif not runs:
            print(f"there are no event files below {self._root}", file=self._out)
        is_whole = all(run.is_whole for run in runs)
        return bool(runs) and is_whole and not self._problems and not self._is_cut

    def _end(self, run: Run) -> None:
        self._ended.add(run)
        if not self._is_cut:
            run.end()
        print(run.told(), file=self._out, flush=True)

    def _show(self, run: Run, bytes_before: int, bytes_in_all: int, text: str) -> None:
        if not self._out.is_due:
            return
        points = sum(each.counts()[0] for each in self.runs.values())
        self._out.show((bytes_before + run.bytes_read) / max(bytes_in_all, 1), f"{text}, {points:,} points")

    def _found(self, is_last: bool) -> Iterator[_Found]:
        """
        Yields the runs. `is_last`: nothing is written any more, so directories of `add_hparams` are
        known for certain.
        """
        self._problems = []
        # Directories folded into the run above them, or waiting for that.
        others: set[Path] = set()
        for directory, inner, names in self._directories():
            if directory not in others:
                made = [
                    made
                    for name in named_by_time(inner)
                    if (made := self._folding.run(directory / name, self._slug(directory / name))) is not None
                ]
                folded = made if is_last and of_one_run(made) else []
                others.update(each.directory for each in (folded if is_last else made))
                yield _Found(directory, names, folded)

    def _directories(self) -> Iterator[tuple[Path, list[str], list[str]]]:
        """
        Yields directories with event files, and their content. Links are followed, as in
        TensorBoard; hidden directories belong to other programs, such as rsync.
        """
        for directory, inner, names in os.walk(self._root, onerror=self._note_problem, followlinks=True):
            inner[:] = [
                name
                for name in sorted(inner)
                if not is_hidden(name) and not _leads_back(self._root, Path(directory), name)
            ]
            found = [name for name in names if is_event_file(name)]
            if found:
                yield Path(directory), list(inner), found

    def _note_problem(self, error: OSError) -> None:
        self._problems.append(f"{error.filename} cannot be read: {error.strerror or error}")

    def _run(self, directory: Path) -> Run:
        path = directory.relative_to(self._root).as_posix()
        if path not in self.runs:
            folder = self._project if "/" not in self._project and path != "." else None
            slug = self._slug(directory)
            self.runs[path] = Run(
                directory, slug, folder, self._service, self._wait, self._is_stopped, self._is_live, self._settings
            )
        return self.runs[path]

    def _slug(self, directory: Path) -> str:
        return slug_of(self._project, directory.relative_to(self._root).as_posix())


class _Found(NamedTuple):
    directory: Path
    names: list[str]
    folded: list[FoldedRun]

    @property
    def paths(self) -> list[Path]:
        own = [self.directory / name for name in self.names]
        return [*own, *(path for folded in self.folded for path in folded.paths)]


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _leads_back(root: Path, directory: Path, name: str) -> bool:
    """Whether it is a link to one of its parents, which would recurse without end."""
    link = directory / name
    if not link.is_symlink():
        return False
    target = os.path.realpath(link)
    parts = directory.relative_to(root).parts
    return any(os.path.realpath(root.joinpath(*parts[:depth])) == target for depth in range(len(parts) + 1))

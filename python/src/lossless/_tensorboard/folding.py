"""
Folds runs made by `add_hparams` into their parents. It writes the hyperparameters of a run and its
last values into a directory of their own, named by the time, below that of the run: in TensorBoard
and here they would be a run of one point beside the real one.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .event import event_of
from .names import is_event_file
from .protobuf import Malformed
from .tfrecord import Damage, RecordReader

# Names as made by `str(time.time())`.
_TIME = re.compile(r"\d{9,11}(\.\d+)?$")
_BYTES_MAX = 2**20
_PREFIX = "hparam/"


class FoldedRun(NamedTuple):
    directory: Path
    paths: list[Path]
    hparams: Mapping[str, Any]
    # The slug that it would have as a run of its own.
    slug: str


def named_by_time(names: list[str]) -> list[str]:
    """Returns the directories that `add_hparams` may have made."""
    return [name for name in names if _TIME.match(name)]


class Folding:
    """Looks into each of them once, until it changes."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Any, FoldedRun | None]] = {}

    def run(self, directory: Path, slug: str) -> FoldedRun | None:
        """Returns the run to fold; None: it is a run of its own, or unreadable."""
        try:
            paths = sorted(Path(entry.path) for entry in os.scandir(directory) if is_event_file(entry.name))
            states = [path.stat() for path in paths]
            seen = [(path, state.st_size, state.st_mtime_ns) for path, state in zip(paths, states)]
            known = self._known.get(directory)
            if known is not None and known[0] == seen:
                return known[1]
            is_small = all(stat.S_ISREG(state.st_mode) and state.st_size <= _BYTES_MAX for state in states)
            hparams = _hparams_alone([path.read_bytes() for path in paths]) if is_small else None
        except OSError:
            return None
        run = None if hparams is None else FoldedRun(directory, paths, hparams, slug)
        self._known[directory] = (seen, run)
        return run


def of_one_run(runs: list[FoldedRun]) -> bool:
    """
    Whether they belong to one run: several with different hyperparameters are the trials of a
    search.
    """
    return all(run.hparams == runs[0].hparams for run in runs)


def folded_tag(tag: str) -> str:
    """
    Returns the tag for a folded value, which is no point of the run's own curve under that tag.
    """
    return tag if tag.startswith(_PREFIX) else f"{_PREFIX}{tag}"


def _hparams_alone(files: list[bytes]) -> Mapping[str, Any] | None:
    """
    Returns the hyperparameters in files that otherwise have at most one value a tag, all at one
    step.
    """
    hparams: dict[str, Any] = {}
    tags: list[str] = []
    steps: set[int] = set()
    for content in files:
        plugins: dict[str, str] = {}
        for record in _records(content):
            try:
                event = event_of(record, plugins)
            except Malformed:
                return None
            hparams.update(event.hparams or {})
            tags += [scalar.tag for scalar in event.scalars]
            steps.update([event.step] if event.scalars else [])
    return hparams if hparams and len(tags) == len(set(tags)) and len(steps) <= 1 else None


def _records(content: bytes) -> list[bytes]:
    reader, file = RecordReader(), io.BytesIO(content)
    found: list[bytes] = []
    while some := reader.read(file):
        found += [each.content for each in some if not isinstance(each, Damage) and each.content is not None]
    return found

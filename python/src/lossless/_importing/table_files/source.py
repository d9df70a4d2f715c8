"""All tables in files and directories."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..source import SourceRun
from .parquet_rows import ParquetRun
from .run import JSON_ENDS, DvcLiveRun, TableRun, is_dvclive

_ENDS = (".csv", ".tsv", *JSON_ENDS)
_PARQUET = ".parquet"
# W&B's artifacts of a history are `run-ID-history:v3`, with parts in them.
_OF_WANDB = re.compile(r"run-(.+)-history[:-]v\d+")
# Names that say nothing: the directory has the name of the run.
_PLAIN = frozenset({"metrics", "progress", "log", "logs", "history", "results", "monitor", "output", "data"})


class TableFiles:
    format = "tables"
    title = "tables"

    def __init__(self, roots: list[Path], step_column: str | None) -> None:
        self._roots = roots
        self._step_column = step_column
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        found: list[SourceRun] = []
        for root in self._roots:
            if root.is_file() and root.suffix.lower() == _PARQUET:
                found.append(ParquetRun([root], _slug_of(root, None), self._step_column))
            elif root.is_file():
                found.append(TableRun(root, _slug_of(root, None), self._step_column))
            elif root.is_dir():
                found += self._below(root)
            else:
                raise LosslessError(f"there is no file or directory {root}")
        if not found:
            raise LosslessError(
                f"there are no files that end in {', '.join(_ENDS)}, plain or .gz, or in .parquet, in {self._roots[0]}"
            )
        return found

    def _below(self, root: Path) -> Iterable[SourceRun]:
        for directory, inner, names in os.walk(root):
            inner.sort()
            place = Path(directory)
            if is_dvclive(place):
                inner.clear()
                yield DvcLiveRun(place, _directory_slug(place, root))
                continue
            yield from self._parquet(place, names, root)
            for name in sorted(names):
                if name.lower().removesuffix(".gz").endswith(_ENDS):
                    yield TableRun(place / name, _slug_of(place / name, root), self._step_column)

    def _parquet(self, place: Path, names: list[str], root: Path) -> Iterable[SourceRun]:
        files = [place / name for name in sorted(names) if name.lower().endswith(_PARQUET)]
        parts = [path for path in files if path.stem.isdigit()]
        if parts:
            yield ParquetRun(parts, _directory_slug(place, root), self._step_column)
        for path in files:
            if path not in parts:
                yield ParquetRun([path], _slug_of(path, root), self._step_column)


def _slug_of(path: Path, root: Path | None) -> str:
    stem = path.name.removesuffix(".gz")
    stem = stem[: stem.rindex(".")] if "." in stem[1:] else stem
    if stem.lower() in _PLAIN or (stem.isdigit() and path.suffix.lower() == _PARQUET):
        return _directory_slug(path.parent, root or path.parent)
    if root is None:
        return stem
    below = path.parent.relative_to(root).as_posix()
    return stem if below == "." else f"{below}/{stem}"


def _directory_slug(directory: Path, root: Path) -> str:
    below = directory.relative_to(root).as_posix()
    slug = directory.resolve().name if below == "." else below
    above, slash, last = slug.rpartition("/")
    history = _OF_WANDB.fullmatch(last)
    return f"{above}{slash}{history[1]}" if history else slug

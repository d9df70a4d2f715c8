"""All runs of an export."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..source import SourceRun
from .run import NeptuneRun

_PART = re.compile(r"(.+)_part_(\d+)\.parquet")
# The exporter writes models of the registry into directories of these names.
_OF_MODELS = ("models", "model_versions")


class NeptuneExport:
    format = "neptune"
    title = "Neptune"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        self.skipped = []
        found: list[SourceRun] = []
        for root in self._roots:
            if not root.exists():
                raise LosslessError(f"there is no file or directory {root}")
            data = root / "data" if (root / "data").is_dir() else root
            for (directory, stem), parts in self._parts(data).items():
                files = _files_of(Path(directory))
                found.append(NeptuneRun(Path(directory), stem, [parts[number] for number in sorted(parts)], files))
        if not found:
            places = ", ".join(str(root) for root in self._roots)
            raise LosslessError(
                f"there is no RUN_part_0.parquet in {places}: name the directory that neptune-exporter has written, "
                "with data and files in it"
            )
        return found

    def _parts(self, data: Path) -> dict[tuple[str, str], dict[int, Path]]:
        """Returns the parts of each run, by its directory and the begin of their names."""
        found: dict[tuple[str, str], dict[int, Path]] = {}
        if data.is_file():
            match = _PART.fullmatch(data.name)
            if match:
                for path in data.parent.glob("*.parquet"):
                    other = _PART.fullmatch(path.name)
                    if other and other[1] == match[1]:
                        found.setdefault((str(data.parent), match[1]), {})[int(other[2])] = path
            return found
        for directory, inner, names in os.walk(data):
            inner.sort()
            for name in sorted(names):
                path = Path(directory, name)
                match = _PART.fullmatch(name)
                if name.endswith(".parquet.tmp"):
                    self.skipped.append(f"{path} was not finished: run the exporter again if Neptune still answers")
                elif match and path.parent.name in _OF_MODELS:
                    self.skipped.append(f"{path} is a model of the registry, which is not imported")
                elif match:
                    found.setdefault((directory, match[1]), {})[int(match[2])] = path
        return found


def _files_of(project: Path) -> Path:
    """Returns the directory of a project's files: beside `data`, under the same name."""
    return project.parent.parent / "files" / project.name

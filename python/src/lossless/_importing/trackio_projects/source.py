"""All runs of Trackio's projects in a directory, or of one project."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..source import SourceRun
from .project import Project
from .run import TrackioRun


class TrackioDirectory:
    format = "trackio"
    title = "Trackio"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        self.skipped = []
        found: list[SourceRun] = []
        paths = self._paths()
        if not paths:
            places = ", ".join(str(root) for root in self._roots)
            raise LosslessError(
                f"there is no project of Trackio in {places}: name a file PROJECT.db, or their directory "
                "(~/.cache/huggingface/trackio)"
            )
        for path in paths:
            try:
                project = Project(path)
                names: set[str] = set()
                for run_id, name in project.runs():
                    found.append(TrackioRun(project, run_id, name, name not in names))
                    names.add(name)
            except sqlite3.Error as error:
                self.skipped.append(f"{path} is no project of Trackio: {error}")
        return found

    def _paths(self) -> list[Path]:
        found: list[Path] = []
        for root in self._roots:
            if root.is_dir():
                found += sorted(root.glob("*.db"))
            elif root.is_file():
                found.append(root)
            else:
                raise LosslessError(f"there is no file or directory {root}")
        return found

"""All runs of W&B below a directory, or in one file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..source import SourceRun
from .run import WandbRun, run_head


class WandbDirectory:
    format = "wandb"
    title = "W&B"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        """Returns the runs, oldest first. A run that was resumed offline has several files."""
        self.skipped = []
        found: dict[tuple[str, str], list[Path]] = {}
        paths = self._paths()
        for path in paths:
            run_id, project = run_head(path)
            if run_id:
                found.setdefault((project, run_id), []).append(path)
            else:
                self.skipped.append(f"{path} does not say of which run it is: W&B was killed before it wrote that")
        if not paths:
            places = ", ".join(str(root) for root in self._roots)
            raise LosslessError(f"there is no .wandb file in {places}: name the directory `wandb`, or a run in it")
        # Directories are named by the time at which they were made.
        return [WandbRun(project, run_id, sorted(paths, key=_time_of)) for (project, run_id), paths in found.items()]

    def _paths(self) -> list[Path]:
        """Returns the files, each once: `latest-run` is a link to one of the others."""
        found: dict[str, Path] = {}
        for root in self._roots:
            if root.is_file():
                found.setdefault(os.path.realpath(root), root)
                continue
            if not root.is_dir():
                raise LosslessError(f"there is no file or directory {root}")
            for directory, _, names in sorted(os.walk(root)):
                for name in sorted(names):
                    if name.endswith(".wandb"):
                        path = Path(directory, name)
                        found.setdefault(os.path.realpath(path), path)
        return list(found.values())


def _time_of(path: Path) -> str:
    return path.parent.name.removeprefix("offline-")

"""All runs of SwanLab below a directory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..source import SourceRun
from .run import FORM, SwanlabRun


class SwanlabDirectory:
    format = "swanlab"
    title = "SwanLab"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        paths: dict[str, Path] = {}
        for root in self._roots:
            if not root.exists():
                raise LosslessError(f"there is no file or directory {root}")
            for path in [root] if root.is_file() else sorted(root.rglob(f"*{FORM.end}")):
                paths.setdefault(str(path.resolve()), path)
        if not paths:
            places = ", ".join(str(root) for root in self._roots)
            raise LosslessError(
                f"there is no {FORM.end} file in {places}: name the directory `swanlog`, or a run in it"
            )
        # Directories are named by the time at which they were made.
        return [SwanlabRun(path) for path in sorted(paths.values(), key=lambda path: path.parent.name)]

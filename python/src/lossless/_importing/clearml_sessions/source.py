"""All offline sessions of ClearML below a directory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..archive import archives_in
from ..kept_files import KeptFiles
from ..source import SourceRun
from .run import TASK, ClearmlRun


class ClearmlSessions:
    format = "clearml"
    title = "ClearML"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        archives = archives_in(self._roots, KeptFiles(), (TASK,))
        if not archives:
            places = ", ".join(str(root) for root in self._roots)
            raise LosslessError(
                f"there is no offline session of ClearML in {places}: name a file offline-….zip, or the directory "
                "of them (~/.clearml/cache/offline)"
            )
        return [ClearmlRun(archive) for archive in archives]

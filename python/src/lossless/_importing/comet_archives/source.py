"""All offline archives of Comet below a directory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..._ground.errors import LosslessError
from ..archive import archives_in
from ..kept_files import KeptFiles
from ..source import SourceRun
from .run import EXPERIMENT, MESSAGES, CometRun


class CometArchives:
    format = "comet"
    title = "Comet"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        archives = archives_in(self._roots, KeptFiles(), (EXPERIMENT, MESSAGES))
        if not archives:
            places = ", ".join(str(root) for root in self._roots)
            raise LosslessError(
                f"there is no offline archive of Comet in {places}: name a file KEY.zip, or the directory of them "
                "(~/.cometml-runs)"
            )
        return [CometRun(archive) for archive in archives]

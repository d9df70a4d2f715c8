"""All runs of Aim's repositories."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..._ground.errors import LosslessError
from ..source import SourceRun
from .run import AimRun


class AimRepositories:
    format = "aim"
    title = "Aim"

    def __init__(self, roots: list[Path]) -> None:
        self._roots = roots
        self.skipped: list[str] = []

    def runs(self) -> Iterable[SourceRun]:
        try:
            import aim  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError:
            raise LosslessError(
                "Aim's repository is a database that only its package reads: pip install aim, and run this command "
                "with that Python"
            ) from None
        found: list[AimRun] = []
        for root in self._roots:
            place = root.parent if root.name == ".aim" else root
            if not (place / ".aim").is_dir():
                raise LosslessError(f"there is no repository of Aim in {root}: name the directory with .aim in it")
            repository: Any = aim.Repo(str(place))
            running = set(repository.list_active_runs())
            for name in sorted(repository.list_all_runs()):
                try:
                    run = aim.Run(name, repo=repository, read_only=True)
                    found.append(AimRun(repository, run, place, name in running))
                except Exception as error:
                    # A damaged database raises whatever RocksDB does.
                    self.skipped.append(f"the run {name} of {place} cannot be read: {type(error).__name__}: {error}")
        found.sort(key=lambda run: run.created)
        return found

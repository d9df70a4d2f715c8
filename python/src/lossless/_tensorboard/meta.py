"""The meta of an imported run: its hyperparameters, besides values that were written there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._service.session import Session
from .._values.size_limit import listed, smaller
from .hparams import merged, yaml_hparams

# `ids`: points are identified by their records, and not by file names as in 0.1.0.
_NEW = {"source": "tensorboard", "import": {"format": "tensorboard", "ids": "records"}}


class RunMeta:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._of_events: dict[str, Any] = {}
        self._of_yaml: dict[str, Any] = {}
        # Keys that the experiment has or could not take; None: it was not opened.
        self._settled: set[str] | None = None
        self._yaml_problem: str | None = None
        self._left_out: list[str] = []
        # Whether version 0.1.0, or another program, may have made the experiment.
        self.is_earlier = False

    def read_yaml(self) -> None:
        try:
            self._of_yaml, self._yaml_problem = yaml_hparams(self._directory)
        except LosslessError as error:
            self._yaml_problem = str(error)

    def add(self, hparams: Mapping[str, Any]) -> None:
        self._of_events.update(hparams)

    @property
    def has_hparams(self) -> bool:
        """Whether the event files have hyperparameters."""
        return bool(self._of_events)

    @property
    def is_complete(self) -> bool:
        return self._settled is not None and self._settled.issuperset(self._hparams())

    @property
    def problems(self) -> list[str]:
        large = f"its hyperparameters are too large: without {listed(self._left_out)}" if self._left_out else None
        return [problem for problem in (self._yaml_problem, large) if problem is not None]

    def open(self, session: Session) -> Mapping[str, Any] | None:
        """
        Opens the experiment, one attempt, and returns its record as it was before. Existing values
        of the meta stay; missing hyperparameters are added.
        """
        record = session.record()
        hparams = self._hparams()
        self.is_earlier = record is not None and record["meta"].get("import") != _NEW["import"]
        before: Mapping[str, Any] = _NEW if record is None else record["meta"]
        new, self._left_out = _fitting({name: hparams[name] for name in hparams if name not in before}, before)
        session.meta = {**before, **new}
        opened = session.open({"meta": session.meta} if new else None)
        self._settled = {*before, *hparams}
        return opened

    def _hparams(self) -> dict[str, Any]:
        return merged(self._of_yaml, self._of_events)


def _fitting(new: dict[str, Any], before: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns what fits beside the existing meta, and the names of what does not."""
    kept, left_out = smaller({**new, **before})
    if any(name in before for name in left_out):
        return {}, sorted(new)
    return {name: value for name, value in kept.items() if name in new}, left_out

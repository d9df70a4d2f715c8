"""How far a spool has been sent, in a file that is replaced as a whole."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from ._spool import write_whole

_REFUSALS_KEPT = 100
_OWN_KEPT = 1_000


@dataclasses.dataclass
class State:
    """
    Everything before `segment` and `offset` is settled: stored, or refused for good. When the sender dies before
    this was written, it sends the same points again with the same ids, which stores nothing twice.
    """

    experiment_id: str | None = None
    segment: int = 1
    offset: int = 0
    # The same of the file with the metrics of the machine.
    system_offset: int = 0
    # Points that the service has, and how many of them it had already when they came.
    stored: int = 0
    deduplicated: int = 0
    annotations: int = 0
    # Points that never will be stored, and the first of them by name.
    refused: int = 0
    refusals: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    # Lines that fail their checksum.
    damaged: int = 0
    # Contents of the last opening.
    description: str = ""
    meta: dict[str, Any] = dataclasses.field(default_factory=dict)
    is_started: bool = False
    # done | error, once the service knows it.
    finished: str | None = None
    # A write at `offset` that is no metric was sent at this time of the service, and nothing is known of it.
    attempting_since_ms: float | None = None
    # Ids of the last annotations that are certainly ours, so that none of them is taken for a later, equal one.
    own_annotations: list[str] = dataclasses.field(default_factory=list)
    # What the sender waits for, and why it gave up.
    problem: str | None = None
    stopped: str | None = None

    def annotated(self, annotation_id: str) -> None:
        self.annotations += 1
        self.own_annotations = [*self.own_annotations[1 - _OWN_KEPT :], annotation_id]

    def refuse(self, count: int, reason: str, **which: Any) -> None:
        self.refused += count
        if len(self.refusals) < _REFUSALS_KEPT:
            self.refusals.append({"count": count, "reason": reason, **which})


def read_state(directory: Path) -> State:
    """A fresh one when there is none. Raises OSError, ValueError."""
    try:
        content = json.loads((directory / "state.json").read_text("utf-8"))
    except FileNotFoundError:
        return State()
    known = {field.name for field in dataclasses.fields(State)}
    return State(**{name: value for name, value in content.items() if name in known})


def write_state(directory: Path, state: State) -> None:
    write_whole(directory / "state.json", dataclasses.asdict(state))

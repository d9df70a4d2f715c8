"""What became of a recording."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
from pathlib import Path
from typing import Any, TextIO

from ._cleanup import is_sent
from ._settings import Settings
from ._state import read_state

_NAMED = 10


@dataclasses.dataclass(frozen=True)
class Report:
    # The service has everything that was recorded and not refused.
    is_complete: bool
    # Points that the service has acknowledged.
    stored: int
    annotations: int
    # Points that will never be stored, with reasons; the first hundred by name.
    refused: int
    refusals: list[dict[str, Any]]
    # Points that were nowhere to be put: the disk was full, and so was the memory for them.
    lost: int
    # Lines of the spool that are damaged.
    damaged: int
    # Why it is not complete.
    problem: str | None
    # Sends what is left.
    command: str | None
    directory: Path

    def show(self, out: TextIO) -> None:
        """In at most some lines, and nothing but one when all is well."""
        if self.is_complete:
            print(f"lossless: {self.stored} points stored", file=out)
        else:
            print(f"lossless: not everything is stored yet ({self.stored} points are): {self.problem}", file=out)
            print(f"lossless: what is left is in {self.directory}; send it with\n  {self.command}", file=out)
        if self.lost:
            print(f"lossless: {self.lost} points are LOST: the disk was full", file=out)
        if self.damaged:
            print(f"lossless: {self.damaged} lines of the spool are damaged and were left out", file=out)
        if self.refused:
            print(f"lossless: {self.refused} points were refused:", file=out)
            for refusal in self.refusals[:_NAMED]:
                which = ", ".join(
                    f"{name} {value}" for name, value in refusal.items() if name not in ("count", "reason")
                )
                print(f"  {refusal['count']} x {which + ': ' if which else ''}{refusal['reason']}", file=out)
            if len(self.refusals) > _NAMED:
                print(f"  … all of the first {len(self.refusals)} are in {self.directory}/state.json", file=out)


def report_of(directory: Path, settings: Settings, lost: int, is_offline: bool, failure: str | None) -> Report:
    """Removes the spool when nobody needs it any more."""
    state = read_state(directory)
    is_complete = state.finished is not None and state.stopped is None
    problem = None
    if not is_complete:
        reasons = [state.stopped, failure, state.problem, "recorded offline" if is_offline else None]
        problem = next((reason for reason in reasons if reason is not None), "there was not enough time")
    report = Report(
        is_complete=is_complete,
        stored=state.stored,
        annotations=state.annotations,
        refused=state.refused,
        refusals=state.refusals,
        lost=lost,
        damaged=state.damaged,
        problem=problem,
        command=None if is_complete else f"lossless sync {shlex.quote(str(directory))}",
        directory=directory,
    )
    if is_complete and is_sent(directory, state):
        shutil.rmtree(directory, ignore_errors=True)
    return report

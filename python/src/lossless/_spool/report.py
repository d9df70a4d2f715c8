"""The outcome of a recording."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from .._ground.address import experiment_page
from .._ground.interpreter import sync_command
from .._ground.settings import Settings
from .._ground.warning import counted
from .cleanup import is_sent, remove
from .head import read_info
from .sent_state import State, read_state

_NAMED = 10
_NO_ROOM = "the disk could not be written, and memory or time ran out"
# Seconds of deviation reported: unset clocks drift by minutes in months; a wrong date or time zone
# is off by more.
_CLOCK_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Report:
    # The service has everything that was recorded and not refused.
    is_complete: bool
    # Points that the service has acknowledged.
    stored: int
    annotations: int
    # Points and annotations that will never be stored, with reasons; the first 100 kinds by name.
    refused: int
    refusals: list[dict[str, Any]]
    # Points lost because the disk and the memory for them were full.
    lost: int
    # Damaged lines of the spool.
    damaged: int
    # Why it is not complete.
    problem: str | None
    # The command that sends the rest.
    command: str | None
    # Its directory, maybe removed since; None: it could not be written anywhere.
    directory: Path | None
    # The experiment, and the address of the service.
    slug: str = ""
    url: str = ""

    # Seconds by which this machine's clock is ahead of the service's; negative: behind.
    clock_ahead_seconds: int = 0
    # The experiment had been recorded into before.
    went_on: bool = False
    # Checkpoints that the service lacks, including pending ones; the first 100 by name.
    unsaved: int = 0
    unsaved_checkpoints: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    # Lost points that the sender has in its memory and continues to send.
    lost_unless_sent: int = 0

    def with_checkpoints(self, unsaved: int, named: list[dict[str, Any]]) -> Report:
        """Adds the unsaved checkpoints to the report."""
        is_complete = self.is_complete and not unsaved
        return dataclasses.replace(self, is_complete=is_complete, unsaved=unsaved, unsaved_checkpoints=named)

    @property
    def is_plain(self) -> bool:
        """Whether everything is stored, and nothing else is to be reported."""
        is_off = clock_told(self.clock_ahead_seconds) is not None
        return self.is_complete and not (self.refused or self.damaged or self.unsaved or is_off)

    def _show_checkpoints(self, out: TextIO) -> None:
        if self.unsaved:
            are_all = all("kind" not in one for one in self.unsaved_checkpoints)
            what = "checkpoint" if are_all else "checkpoint or artifact"
            plural = "" if are_all else "checkpoints or artifacts"
            print(f"lossless: NOT SAVED: {counted(self.unsaved, what, plural)}", file=out)
            for one in self.unsaved_checkpoints[:_NAMED]:
                step = "" if one["step"] is None else f" step {one['step']}"
                kept = "" if one["file"] is None else f"; it is kept in {one['file']}"
                print(f"  {one['artifact']}{step}: {one['reason']}{kept}", file=out)

    def show(self, out: TextIO) -> None:
        """Prints a few lines, and only one when all is well."""
        where = f" in {self.slug} at {experiment_page(self.url, self.slug)}" if self.slug else ""
        if self.is_complete or self.command is None:
            # Where children recorded, a zero would look like a loss.
            told = (
                f"{counted(self.stored, 'point')} stored"
                if self.stored or self.lost or self.refused
                else "all is stored"
            )
            own = "" if self.stored or self.lost or self.refused else "; this process recorded no points"
            print(f"lossless: {told}{where}{own}", file=out)
        else:
            print(f"lossless: only {counted(self.stored, 'point')} stored so far: {self.problem}", file=out)
            print(f"lossless: the rest is in {self.directory}; send it with\n  {self.command}", file=out)
        if self.went_on:
            print(f"lossless: {self.slug} was recorded before: this recording continued it", file=out)
        clock = clock_told(self.clock_ahead_seconds)
        if clock is not None:
            print(f"lossless: {clock}", file=out)
        self._show_checkpoints(out)
        if self.lost:
            # Data to be sent later is reported separately, with another reason.
            reason = self.problem if self.directory is None else _NO_ROOM
            print(f"lossless: {counted(self.lost, 'point')} LOST: {reason}", file=out)
            if self.lost_unless_sent:
                print(
                    f"lossless: {self.lost_unless_sent} of these are in the memory of the sending "
                    "process, which retries for ten minutes: they are not lost if the service "
                    "answers until then",
                    file=out,
                )
        if self.damaged:
            lines = counted(self.damaged, "damaged line")
            print(f"lossless: {lines} of the spool left out", file=out)
        if self.refused:
            print(f"lossless: {counted(self.refused, 'point')} refused:", file=out)
            for refusal in self.refusals[:_NAMED]:
                which = ", ".join(
                    f"{name} {value}" for name, value in refusal.items() if name not in ("count", "reason")
                )
                print(f"  {refusal['count']} x {which + ': ' if which else ''}{refusal['reason']}", file=out)
            if len(self.refusals) > _NAMED:
                print(f"  and {len(self.refusals) - _NAMED} other kinds: see report.refusals", file=out)


def report_of(
    directory: Path,
    settings: Settings,
    lost: int,
    refused_here: Mapping[str, int],
    is_offline: bool,
    failure: str | None,
    told: State | None = None,
) -> Report:
    """
    Returns the outcome of the recording; removes the spool when it is no longer needed. `told`: the
    state as reported by its sender, where the disk may not have accepted it.
    """
    state = _newer(read_state(directory), told)
    # An end that the sender made up is not ours.
    is_sent_whole = state.finished is not None and not state.is_left and state.stopped is None
    problem = None
    if not is_sent_whole:
        reasons = [state.stopped, failure, state.problem, "recorded offline" if is_offline else None]
        problem = next(
            (each for each in reasons if each is not None), _NO_ROOM if lost else "there was not enough time"
        )
    elif lost:
        problem = _NO_ROOM
    elif state.console_stopped is not None:
        problem = f"the console is not whole: {state.console_stopped}"
    is_whole = is_sent_whole and state.console_stopped is None
    refused, refusals = _with_refusals(state, refused_here)
    report = Report(
        is_complete=is_whole and not lost,
        stored=state.stored,
        annotations=state.annotations,
        refused=refused,
        refusals=refusals,
        lost=lost,
        damaged=state.damaged,
        problem=problem,
        command=None if is_whole else sync_command(directory, settings.url),
        directory=directory,
        slug=read_info(directory).slug,
        url=settings.url,
        clock_ahead_seconds=state.clock_ahead_seconds,
        went_on=state.went_on,
    )
    if is_sent_whole and is_sent(directory, state):
        remove(directory)
    return report


def _newer(state: State, told: State | None) -> State:
    """Returns the later of two states; another sender may have written the file since."""
    return state if told is None or _age(state) > _age(told) else told


def _age(state: State) -> tuple[int, int, bool]:
    return (state.segment, state.offset, state.finished is not None)


def clock_told(ahead_seconds: int) -> str | None:
    """A warning about a clock that is far off: the service keeps the times that it gave."""
    if abs(ahead_seconds) < _CLOCK_SECONDS:
        return None
    off = datetime.timedelta(seconds=abs(ahead_seconds))
    return (
        f"this machine's clock is {off} {'ahead of' if ahead_seconds > 0 else 'behind'} the "
        "service's: "
        "points have this machine's times"
    )


def report_of_nothing(lost: int, refused_here: Mapping[str, int], problem: str) -> Report:
    """Returns the report of a recording that could not be written anywhere."""
    refused, refusals = _with_refusals(State(), refused_here)
    return Report(False, 0, 0, refused, refusals, lost, 0, problem, None, None)


def _with_refusals(state: State, here: Mapping[str, int]) -> tuple[int, list[dict[str, Any]]]:
    """Adds the recording's own refusals, of which the sender may not have read yet."""
    others = [one for one in state.refusals if not (set(one) == {"count", "reason"} and one["reason"] in here)]
    read = sum(one["count"] for one in state.refusals) - sum(one["count"] for one in others)
    own = [{"count": count, "reason": reason} for reason, count in here.items()]
    return state.refused - read + sum(here.values()), own + others

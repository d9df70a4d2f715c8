"""The progress of sending a spool, in a file that is replaced as a whole."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import time
from pathlib import Path
from typing import Any

from .._ground.ownership import read_own
from .head import read_info
from .spool import write_whole

_REFUSALS_KEPT = 100
# Milliseconds, more than the service's clock may seem to lag: older annotations are no write of
# now.
_OWN_KEPT_MS = 15_000
# Seconds in which a restarted service is back, before a problem is reported.
_PROBLEM_SECONDS = 5.0
STATE_FILE = "state.json"
_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


@dataclasses.dataclass
class Tally:
    """Outcomes of points and annotations."""

    # Points that the service has, and those among them that it had already when they came.
    stored: int = 0
    deduplicated: int = 0
    annotations: int = 0
    # Data that will never be stored, and the first of it by name.
    refused: int = 0
    refusals: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    # Lines that fail their checksum.
    damaged: int = 0
    # The last annotations that are certainly ours, and when they were added, so that none of them
    # is taken for a later, equal one.
    own_annotations: dict[str, int] = dataclasses.field(default_factory=dict)

    def annotated(self, annotation_id: str, created_at_ms: int) -> None:
        self.annotations += 1
        self.own_annotations[annotation_id] = created_at_ms

    def refuse(self, count: int, reason: str, **which: Any) -> None:
        """Counts a refusal. Equal ones share an entry, which has the first one's step."""
        self.refused += count
        entry = {"count": count, "reason": reason, **which}
        for known in self.refusals:
            if _kind(known) == _kind(entry):
                known["count"] += count
                return
        if len(self.refusals) < _REFUSALS_KEPT:
            self.refusals.append(entry)

    def reset(self) -> None:
        self.__init__()  # type: ignore[misc]

    def add(self, other: Tally) -> None:
        self.stored += other.stored
        self.deduplicated += other.deduplicated
        self.annotations += other.annotations
        self.damaged += other.damaged
        named = 0
        for entry in other.refusals:
            named += entry["count"]
            self.refuse(**entry)
        self.refused += other.refused - named
        if other.own_annotations:
            self.own_annotations.update(other.own_annotations)
            oldest = max(self.own_annotations.values()) - _OWN_KEPT_MS
            self.own_annotations = {id: at for id, at in self.own_annotations.items() if at >= oldest}


@dataclasses.dataclass
class State(Tally):
    """
    The progress of a sender. Everything before `segment` and `offset` is settled: stored, or
    refused for good, and counted. When the sender dies before this was written, it sends the same
    points again with the same ids, which stores nothing twice.
    """

    experiment_id: str | None = None
    segment: int = 1
    offset: int = 0
    # Settled part of the file with the machine's metrics.
    system_offset: int = 0
    # Settled part of media.log, and what was sent after it, unannounced: {end, version, sinceMs}.
    media_offset: int = 0
    media_sent: dict[str, Any] | None = None
    # Settled part of console.log, the number of its lines, and why no more of it is sent: by no
    # sender, or not by this one.
    console_offset: int = 0
    console_lines: int = 0
    console_refused: str | None = None
    console_stopped: str | None = None
    # Folder into which the experiment has to be put; None: it stays where it is.
    filing: list[str] | None = None
    # The experiment was recorded into before, which this recording notes.
    went_on: bool = False
    is_noted: bool = False
    # It does not continue where the previous one stopped: its points have a partition of their own.
    is_apart: bool = False
    # Source and environment of this recording are not all in the experiment; the artifact's version
    # with the diff; and those of earlier recordings, until the note about them is stored.
    origin_is_open: bool = False
    origin_is_told: bool = False
    origin_diff: dict[str, Any] | None = None
    earlier_origin: dict[str, Any] | None = None
    # The config of earlier recordings, which this one replaces, until the note about it is stored;
    # or its own, when it is superseded.
    earlier_config: dict[str, Any] | None = None
    # A newer recording takes precedence: see _sending/newer_recording.py.
    is_superseded: bool = False
    is_started: bool = False
    # Times of the service between which our start was sent.
    started_within: list[float] | None = None
    # "done" or "error", once the service knows it.
    finished: str | None = None
    # The sender made up the end, as the recording process seemed gone: the recording's own takes
    # precedence.
    is_left: bool = False
    # Number of damaged lines with no complete line after them: a crash leaves such lines, which
    # were never reported as recorded.
    damaged_last: int = 0
    # Lines after the recording's own end, which are ignored, and those among them that can be read.
    behind_end: int = 0
    behind_end_whole: int = 0
    # When, by the service, a write after `offset` that is no metric was sent; its outcome is open.
    attempting_since_ms: float | None = None
    # The earlier state could not be read: each write is looked up before it is sent.
    is_rebuilt: bool = False
    # The file cannot be written, and is of that time by this machine's clock: later writes may be
    # missing in it, so each write is looked up. Never stored in the file.
    stale_at_ms: float | None = None
    # Seconds by which this machine's clock is ahead of the service's; negative: behind.
    clock_ahead_seconds: int = 0
    # What the sender waits for, since when by this machine's clock, and why it gave up.
    problem: str | None = None
    problem_since: float = 0.0
    stopped: str | None = None

    def add(self, other: Tally) -> None:
        own = self.own_annotations
        super().add(other)
        if self.is_rebuilt or self.stale_at_ms is not None:
            # Every annotation is looked up, from the first one on.
            self.own_annotations = {**own, **other.own_annotations}


def read_state(directory: Path) -> State:
    """
    Reads the state; a fresh one where none can be read, as after a loss of power. Raises OSError.
    """
    try:
        return state_of(json.loads(read_own(directory / STATE_FILE)))
    except FileNotFoundError:
        return State()
    except ValueError:
        return State(is_rebuilt=True)


def state_of(content: Any) -> State:
    """Restores the state from the result of `plain_state`. Raises ValueError."""
    if not isinstance(content, dict):
        raise ValueError("it is not a state")
    known = {field.name for field in dataclasses.fields(State)} - {"stale_at_ms"}
    return State(**{name: value for name, value in content.items() if name in known})


def plain_state(state: State) -> dict[str, Any]:
    return dataclasses.asdict(state)


def problem_of(directory: Path, is_over: bool) -> str | None:
    """Returns why nothing has been sent for some seconds. `is_over`: its sender has ended."""
    try:
        state = read_state(directory)
    except OSError:
        return None
    if is_over and state.stopped is not None:
        return state.stopped
    return state.problem if time.time() - state.problem_since >= _PROBLEM_SECONDS else None


def others_of(directory: Path) -> str | None:
    """
    Returns a warning that others record into the same experiment, which this one does not resume.
    """
    try:
        state = read_state(directory)
        info = read_info(directory) if state.is_apart else None
    except (OSError, ValueError):
        return None
    if info is None:
        return None
    return (
        f"{info.slug} was recorded before: this recording goes there too, with "
        f"recording={info.word} in the meta of its points. resume='allow' continues the other one, "
        "another id begins a new one"
    )


def console_stopped_of(directory: Path) -> str | None:
    """Returns a warning that the service takes no more lines of the console."""
    try:
        reason = read_state(directory).console_stopped
    except OSError:
        return None
    if reason is None:
        return None
    return f"the console is no longer sent: {reason.rstrip('.')}; its lines wait in {directory}"


def write_state(directory: Path, state: State) -> None:
    """
    Replaces the file as a whole. A full disk has no room for a second file: there it is overwritten
    in its own blocks, and if that fails too it is emptied, so that outdated content is not trusted.
    Raises OSError: the file may have an older state.
    """
    path = directory / STATE_FILE
    content = plain_state(state)
    try:
        write_whole(path, content)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _write_over(path, json.dumps(content).encode("ascii"))


def written_at_ms(directory: Path) -> float | None:
    """Returns when the file was last written, by this machine's clock; None: there is none."""
    try:
        return os.stat(directory / STATE_FILE).st_mtime * 1000
    except OSError:
        return None


def _write_over(path: Path, content: bytes) -> None:
    """Writes without further blocks: a reader may meanwhile see a damaged state."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    file = os.open(path, flags, 0o600)
    try:
        # The rest of an older, longer state is blanked.
        whole = content.ljust(os.fstat(file).st_size)
        try:
            if os.write(file, whole) == len(whole):
                return
        except OSError:
            pass
        os.ftruncate(file, 0)
    finally:
        os.close(file)


def note_stopped(directory: Path, error: BaseException) -> None:
    """Notes why sending ended, for later commands."""
    try:
        state = read_state(directory)
        state.stopped = reason_of(error)
        write_state(directory, state)
    except (OSError, ValueError):
        # There is nowhere to write it.
        pass


def reason_of(error: BaseException) -> str:
    from .._ground.errors import LosslessError

    return str(error) if isinstance(error, LosslessError) else f"{type(error).__name__}: {error}"


def _kind(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in ("count", "step")}

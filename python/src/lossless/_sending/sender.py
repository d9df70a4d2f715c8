"""Sends a spool, in order: beside the recording (sender_process.py), or later (sync.py)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._origin.gathered import Gathering
from .._service.service import Service
from .._service.session import Session
from .._spool.handed_lines import HandedLines
from .._spool.head import RunInfo, read_info
from .._spool.sent_state import State, Tally, reason_of
from .._spool.spool import MEDIA_FILE, TERMINATED_FILE
from .._spool.tail import Placed, Tail
from .attempt_reports import AttemptReports, Script
from .console_lines import ConsoleLines
from .delivery import Annotation, Delivery
from .experiment_opening import Opening, without_replaced
from .handover import Handover
from .lifecycle import Lifecycle
from .media_files import MediaFiles
from .newer_recording import NewerRecording
from .open_row import OpenRow
from .origin import RunOrigin
from .patience import GaveUp, Patience, Recording
from .progress import Progress
from .rows import Rows, rows_of
from .script_end import LeftScript, told_ending
from .system import Sampler
from .system_points import SystemPoints

_POLL_SECONDS = 0.2
_LOST_MESSAGE = "the recording process ended without finish()"
_TERMINATED_MESSAGE = "the recording process was ended by SIGTERM, as a scheduler ends what it preempts"
# Size of the groups that are settled at once. The annotations of a group are one request: after a
# crash they are looked up as a whole. A group that is read again is not smaller, because these
# bytes are fewer than one read of the tail.
_GROUP_ANNOTATIONS = 500
_GROUP_BYTES = 2**19


class Group:
    """Records that are settled at once."""

    def __init__(self) -> None:
        self.points = Rows()
        self.annotations: list[Annotation] = []
        self.tally = Tally()
        self.end = 0


class Sender:
    """
    Sends one spool, for whoever holds its lock. Raises SettingsError, OSError, ValueError for a
    spool or settings that cannot be used.

    The position in the spool (segment and offset) moves only when the service has acknowledged what
    stands before it, and is written to state.json then. So a sender that dies loses nothing; its
    successor sends the last group again, and identifiers keep that from storing it twice.

    OPENING, at the first record that needs it: the experiment is opened, or found by its slug.
    FOLLOWING: lines are read as they are written and sent in groups. With nothing to read it polls
    while the recording process lives; without `is_followed` it stops there.
    ENDING: at the record of `finish`, or when the process is gone without one. The machine's last
    metrics and files are sent, then the status. Lines behind the end are counted and passed over.
    STOPPED: a refusal that no retry can change, or the time given for retries is over (GaveUp). The
    spool stays with its reason in state.json, and `lossless sync` goes on from the same position.
    """

    def __init__(
        self,
        directory: Path,
        credential: Callable[[], str],
        organization: str | None,
        recording: Recording,
        url: str | None = None,
        sampler: Sampler | None = None,
        is_followed: bool = True,
        info: RunInfo | None = None,
        handed: HandedLines | None = None,
        gathering: Gathering | None = None,
        script: Script | None = None,
    ) -> None:
        self.directory = directory
        self.info: RunInfo = info or read_info(directory)
        self._recording = recording
        self._sampler = sampler
        self._is_followed = is_followed
        self._is_ended = False
        # Records read after the end.
        self._behind_end: list[Placed] = []
        self._handed = handed or HandedLines()
        progress = self._progress = Progress(directory, self._handed)
        keep, state, tally = progress.keep, progress.state, progress.tally
        self.state = state
        patience = Patience(recording, Handover(directory), state, keep)
        settings = lambda: Settings(  # noqa: E731
            url or self.info.url, credential(), organization or self.info.organization, directory.parent
        )
        service = Service(url or self.info.url, credential, organization or self.info.organization)
        session = self._session = Session(service, self.info.slug, "", {}, state.experiment_id or "")

        def delivery(state: State, **others: Any) -> Delivery:
            may_retry = patience.may_retry
            return Delivery(session, self.info.prefix, state, patience.wait, keep, may_retry=may_retry, **others)

        newer = NewerRecording(directory, session, self.info, state, recording.lives)
        self._opening = Opening(session, self.info, state, tally, newer, patience.retry, keep)
        is_unsettled = state.attempting_since_ms is not None
        self._delivery = delivery(state, tally=tally, is_unsettled=is_unsettled, begun_at_ms=self.info.created_at_ms)
        self._lifecycle = Lifecycle(session, self.info, state, self._opening, newer, self._delivery, keep)
        # The machine's points are not counted among the script's.
        self._system = SystemPoints(directory, self.info.word, state, delivery(State()), self._opening.ensure, keep)
        self._media = MediaFiles(directory, self.info, state, session, settings, delivery, self._opening.ensure, keep)
        self._console = ConsoleLines(directory, self.info, state, session, patience.retry, self._opening.ensure, keep)
        self._origin = RunOrigin(directory, self.info, state, self._opening, self._delivery, settings, keep, gathering)
        self._script: Script = script or LeftScript(directory, self.info, recording.lives)
        ensure = self._opening.ensure
        self._attempt = AttemptReports(self.info, state, session, self._script, patience.retry, ensure)
        # Why logged files are left here; everything else is sent nevertheless.
        self._unsent: LosslessError | None = None

    def run(self) -> bool:
        """Sends. True: the recording is over and settled. Raises GaveUp, and final refusals."""
        tail = Tail(self.directory, self.state.segment, self.state.offset, self._handed)
        rows = OpenRow()
        try:
            while not self._is_ended:
                if self.state.problem is not None:
                    # The sender waits for nothing here, nor after the machine's metrics: they
                    # settle no problem.
                    self.state.problem = None
                    self._progress.keep()
                if self.state.finished is not None and not self.state.is_left:
                    # An earlier sender has sent its end.
                    self._end_without_finish(None)
                    break
                # Asked before reading, so that everything written until then is read.
                lives = self._recording.lives()
                read = tail.read()
                placed = rows.closed(read) if read or lives else rows.rest()
                if placed:
                    self._send_others_when_due()
                    self._send(placed)
                elif read:
                    # The records read belong to a step that goes on.
                    continue
                elif not lives:
                    self._end_without_finish(tail.skip_rest())
                elif self._is_followed:
                    self._send_others_when_due()
                    time.sleep(_POLL_SECONDS)
                else:
                    self._attempt.beat()
                    self._system.send()
                    self._console.send()
                    self._send_files()
                    break
            if self._is_ended and not self.state.is_left:
                self._pass_over(tail)
            self._send_origin()
            if self._unsent is not None:
                raise self._unsent
            self.state.problem = None
            self.state.stopped = None
            if self._is_ended:
                self._progress.is_whole()
            return self._is_ended
        except Exception as error:
            self.state.stopped = reason_of(error)
            raise
        finally:
            tail.close()
            self._progress.keep()
            self._progress.keep_handed()
            self._session.service.close()

    def _send_others_when_due(self) -> None:
        self._attempt.beat_when_due()
        self._system.send_when_due()
        self._console.send_when_due()
        self._media.send_when_due()
        self._origin.send_when_due()

    def _send(self, placed: list[Placed]) -> None:
        """Sends points, annotations and refusals in groups, everything else alone."""
        placed = without_replaced(placed, self.state.experiment_id is None)
        at = 0
        while at < len(placed) and not self._is_ended:
            group = self._group(placed, at)
            self._attempt.beat_when_due()
            if group.end > at:
                at = group.end
                self._send_group(group)
            else:
                self._send_other(placed[at].record)
                at += 1
            if placed[at - 1].record is not None:
                self.state.damaged_last = 0
            self._progress.settle(placed[at - 1])
        self._behind_end = placed[at:]

    def _group(self, placed: list[Placed], at: int) -> Group:
        group = Group()
        points_max = self._delivery.points_max()
        # What distinguishes its points from those of other recordings in the experiment.
        more = {"recording": self.info.word} if self.state.is_apart else None
        first = placed[at]
        start = self.state.offset if self.state.segment == first.segment else 0
        group.end = at
        for record, _, behind in placed[at:]:
            kind = record[0] if record else None
            is_full = group.end > at and behind - start > _GROUP_BYTES
            if record is None or kind not in ("m", "p", "a", "x") or is_full:
                break
            if kind in ("m", "p"):
                if group.points and len(group.points) + len(record[4]) > points_max:
                    break
                for row in rows_of(record, more):
                    group.points.add(row)
            elif kind == "a":
                if len(group.annotations) >= _GROUP_ANNOTATIONS:
                    break
                group.annotations.append(Annotation(record[1], record[2]))
            else:
                group.tally.refuse(record[1], record[2])
            group.end += 1
        return group

    def _send_group(self, group: Group) -> None:
        if group.points or group.annotations:
            self._opening.ensure()
        self._delivery.points(group.points)
        if group.points:
            self._attempt.note_step(group.points.rows[-1].step)
        if group.annotations:
            self._delivery.annotations(group.annotations)
        self._progress.tally.add(group.tally)

    def _send_other(self, record: list[Any] | None) -> None:
        kind = record[0] if record else None
        if record is None:
            self._progress.tally.damaged += 1
            self.state.damaged_last += 1
        elif kind == "o":
            self._lifecycle.open(record[1])
        elif kind == "s":
            self._lifecycle.start()
        elif kind in ("d", "e"):
            if self.state.is_left:
                # A script that closes all descriptors only seems gone.
                self.state.finished = None
            self._end("done", None, {}) if kind == "d" else self._end("error", record[1], record[2])

    def _end(self, status: str, message: str | None, meta: Mapping[str, Any], is_left: bool = False) -> None:
        self._send_last_of_system()
        self._attempt.end(self._script.ending() if is_left else told_ending(message))
        self._lifecycle.end(status, message, meta, is_left)
        self._is_ended = True

    def _end_without_finish(self, rest: Placed | None) -> None:
        """
        Ends a recording that was killed, so that it does not seem to go on. `rest`: a line that
        will never have an end.
        """
        if self.state.finished is None and (self.state.is_started or self.state.is_superseded):
            self._end("error", _lost_message(self.directory), {}, is_left=True)
        else:
            self._send_last_of_system()
            if self.state.finished is None:
                self._attempt.end(self._script.ending())
        self._is_ended = True
        if rest is None:
            self._progress.count()
        else:
            self._progress.tally.damaged += 1
            self.state.damaged_last += 1
            self._progress.settle(rest)

    def _pass_over(self, tail: Tail) -> None:
        """Skips records after the recording's own end, which a loss of power may leave."""
        placed = self._behind_end
        while True:
            if placed:
                self.state.behind_end += len(placed)
                self.state.behind_end_whole += sum(each.record is not None for each in placed)
                self._progress.settle(placed[-1])
            placed = tail.read()
            if not placed:
                rest = tail.skip_rest()
                if rest is None:
                    return
                placed = [rest]

    def _send_last_of_system(self) -> None:
        if self._sampler is not None:
            self._sampler.stop()
        self._system.send(is_last=True)
        self._console.send(is_last=True)
        self._send_files()

    def _send_files(self) -> None:
        """Sends logged files. An unreachable store delays no end of an experiment."""
        self._unsent = None
        if (self.directory / MEDIA_FILE).exists():
            self._opening.ensure()
            self._try("pictures and tables were not sent", self._media.send)
        self._origin.send_when_due(is_end=True)

    def _send_origin(self) -> None:
        """Sends the rest of source and environment, which no end waits for."""
        if self.state.origin_is_open and not self._recording.lives():
            self._try("the source was not sent", self._origin.send)
            if self.state.finished is not None:
                self._delivery.revoke()

    def _try(self, what: str, send: Callable[[], None]) -> None:
        try:
            send()
        except GaveUp:
            raise
        except LosslessError as error:
            self._unsent = LosslessError(f"{what}: {str(error).rstrip('.')}")


def _lost_message(directory: Path) -> str:
    with contextlib.suppress(OSError):
        if (directory / TERMINATED_FILE).stat().st_size > 0:
            return _TERMINATED_MESSAGE
    return _LOST_MESSAGE

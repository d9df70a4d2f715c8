"""Sends a spool, in order: beside the recording (sender_process.py), or later (sync.py)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from .._ground.errors import LosslessError
from .._ground.lock import elsewhere
from .._ground.settings import Settings
from .._ground.wire_numbers import EVENTS_PER_REQUEST_MAX
from .._service.retry import delay, is_transient
from .._service.service import Service
from .._service.session import Session
from .._spool.handed_lines import HandedLines, state_message
from .._spool.head import RunInfo, has_head_file, read_info, segment_path, segments
from .._spool.sent_state import STATE_FILE, State, Tally, read_state, reason_of, write_state, written_at_ms
from .._spool.spool import MEDIA_FILE, TERMINATED_FILE, write_segment
from .._spool.tail import Placed, Tail
from .._values.records import encode
from .delivery import Annotation, Delivery, Point, points_of
from .experiment_opening import Opening, without_replaced
from .handover import Handover
from .media_files import MediaFiles
from .newer_recording import NewerRecording
from .open_row import OpenRow
from .system import Sampler
from .system_points import SystemPoints

_POLL_SECONDS = 0.2
_SLICE_SECONDS = 0.2
_LOST_MESSAGE = "the recording process ended without finish()"
_TERMINATED_MESSAGE = "the recording process was ended by SIGTERM, as a scheduler ends what it preempts"
# Size of the groups that are settled at once. The annotations of a group are one request: after a
# crash they are looked up as a whole. A group that is read again is not smaller, because these
# bytes are fewer than one read of the tail.
_GROUP_ANNOTATIONS = 500
_GROUP_BYTES = 2**19
# An annotation has room for 64 KiB.
_EARLIER_CONFIG_BYTES_MAX = 65_000


class GaveUp(LosslessError):
    """The time is over; the spool stays."""


class Recording(Protocol):
    """A recording, as seen by its sender."""

    def lives(self) -> bool:
        """Whether a process may still add to it."""
        ...

    def is_ending(self) -> bool:
        """
        Whether the script waits for the end: then a refusal is reported, and not retried for hours.
        """
        ...

    def give_up_at(self, trying_since: float) -> float | None:
        """Returns the monotonic time after which nothing is retried; None: never."""
        ...


class Group:
    """Records that are settled at once."""

    def __init__(self) -> None:
        self.points: list[Point] = []
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
    ) -> None:
        self.directory = directory
        self.info: RunInfo = info or read_info(directory)
        self.state: State = read_state(directory)
        if not has_head_file(directory) and not (directory / STATE_FILE).exists():
            # The cause that lost the head may have lost the state.
            self.state.is_rebuilt = True
        # Elsewhere, as the directory may be read-only.
        self._stale_mark = elsewhere(directory, "stale")
        self._look_at_state()
        if self.state.is_rebuilt and 1 not in segments(directory):
            # The opening and the start are in the first file, which was sent.
            self.state.is_started = True
        self._recording = recording
        self._sampler = sampler
        self._is_followed = is_followed
        # Lines that the disk did not accept, from the process that records.
        self._handed = handed or HandedLines()
        # A sync that requests the spool may know a better address or key.
        self._handover = Handover(directory)
        self._is_ended = False
        self._trying_since = 0.0
        # Records read after the end.
        self._behind_end: list[Placed] = []
        # Counts of what is not settled yet.
        self._tally = Tally()
        service = Service(url or self.info.url, credential, organization or self.info.organization)
        self._session = Session(service, self.info.slug, "", {}, self.state.experiment_id or "")
        self._newer = NewerRecording(directory, self._session, self.info, self.state, recording.lives)
        self._opening = Opening(self._session, self.info, self.state, self._tally, self._newer, self._retry, self._keep)
        self._delivery = Delivery(
            self._session,
            self.info.prefix,
            self.state,
            self._wait,
            self._keep,
            tally=self._tally,
            may_retry=self._may_retry,
            is_unsettled=self.state.attempting_since_ms is not None,
            begun_at_ms=self.info.created_at_ms,
        )
        # The machine's points are not counted among the script's.
        system = Delivery(self._session, self.info.prefix, State(), self._wait, self._keep, may_retry=self._may_retry)
        self._system = SystemPoints(directory, self.info.word, self.state, system, self._opening.ensure, self._keep)
        self._media = MediaFiles(
            directory,
            self.info,
            self.state,
            self._session,
            lambda: Settings(
                url or self.info.url, credential(), organization or self.info.organization, directory.parent
            ),
            self._media_delivery,
            self._opening.ensure,
            self._keep,
        )
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
                    self._keep()
                if self.state.finished is not None and not self.state.is_left:
                    # An earlier sender has sent its end.
                    self._end_without_finish(None)
                    break
                # Asked before reading, so that everything written until then is read.
                lives = self._recording.lives()
                read = tail.read()
                placed = rows.closed(read) if read or lives else rows.rest()
                if placed:
                    self._system.send_when_due()
                    self._media.send_when_due()
                    self._send(placed)
                elif read:
                    # The records read belong to a step that goes on.
                    continue
                elif not lives:
                    self._end_without_finish(tail.skip_rest())
                elif self._is_followed:
                    self._system.send_when_due()
                    self._media.send_when_due()
                    time.sleep(_POLL_SECONDS)
                else:
                    self._system.send()
                    self._send_media()
                    break
            if self._is_ended and not self.state.is_left:
                self._pass_over(tail)
            if self._unsent is not None:
                raise self._unsent
            self.state.problem = None
            self.state.stopped = None
            if self._is_ended:
                # If the last state, below, cannot be written, that sets the mark again.
                self._stale_mark.unlink(missing_ok=True)
            return self._is_ended
        except Exception as error:
            self.state.stopped = reason_of(error)
            raise
        finally:
            tail.close()
            self._keep()
            self._keep_handed()
            self._session.service.close()

    def _send(self, placed: list[Placed]) -> None:
        """Sends points, annotations and refusals in groups, everything else alone."""
        placed = without_replaced(placed, self.state.experiment_id is None)
        at = 0
        while at < len(placed) and not self._is_ended:
            group = self._group(placed, at)
            if group.end > at:
                at = group.end
                self._send_group(group)
            else:
                self._send_other(placed[at].record)
                at += 1
            if placed[at - 1].record is not None:
                self.state.damaged_last = 0
            self._settled(placed[at - 1])
        self._behind_end = placed[at:]

    def _group(self, placed: list[Placed], at: int) -> Group:
        group = Group()
        first = placed[at]
        start = self.state.offset if self.state.segment == first.segment else 0
        group.end = at
        for record, _, behind in placed[at:]:
            kind = record[0] if record else None
            is_full = group.end > at and behind - start > _GROUP_BYTES
            if record is None or kind not in ("m", "a", "x") or is_full:
                break
            if kind == "m":
                points = list(points_of(record, self._more))
                if group.points and len(group.points) + len(points) > EVENTS_PER_REQUEST_MAX:
                    break
                group.points += points
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
        if group.annotations:
            self._delivery.annotations(group.annotations)
        self._tally.add(group.tally)

    def _send_other(self, record: list[Any] | None) -> None:
        kind = record[0] if record else None
        if record is None:
            self._tally.damaged += 1
            self.state.damaged_last += 1
        elif kind == "o":
            self._opening.apply(record[1])
            self._note_config("the config of earlier recordings")
            if self.state.is_superseded:
                self._note_recording()
        elif kind == "s" and self.info.is_primary and not self.state.is_superseded:
            self._start()
        elif kind == "d":
            self._finish("done", None, {})
        elif kind == "e":
            self._finish("error", record[1], record[2])

    @property
    def _more(self) -> dict[str, str] | None:
        """
        The meta that distinguishes its points from those of other recordings in the experiment.
        """
        return {"recording": self.info.word} if self.state.is_apart else None

    def _note_recording(self) -> None:
        """Notes before its first point which recordings share the experiment, and from where on."""
        is_first = self.state.stored + self.state.deduplicated == 0
        if is_first and not self.info.is_resumed and (self.state.went_on or self.state.is_superseded):
            self.state.is_apart = self.info.is_primary
        if not self.state.went_on or self.state.is_noted or self.state.is_superseded:
            return
        step, word = self.info.starting_step, self.info.word
        text = f"resumed at step {step}" if self.info.is_resumed else "recorded again, without resume"
        note = {"kind": "recording", "recording": word, "resumed": self.info.is_resumed, "step": step}
        self._delivery.annotations([Annotation(f"{text} (recording {word})", note)])
        self.state.is_noted = True
        # The rest is an attempt of its own.
        self.state.attempting_since_ms = None
        self._keep()

    def _note_config(self, text: str) -> None:
        """Notes the config of another recording, or ours."""
        config = self.state.earlier_config
        if config is not None and len(encode(config)) <= _EARLIER_CONFIG_BYTES_MAX:
            note = Annotation(text, {"kind": "config", "config": config})
            self._delivery.annotations([note])
        # Written together with the place after the opening.
        self.state.earlier_config = None

    def _start(self) -> None:
        self._opening.ensure()
        if self.state.started_within is None:
            self._opening.look_for_others()
        self._note_recording()
        now_ms = self._session.server_time_ms()
        within = self.state.started_within = [(self.state.started_within or [now_ms])[0], now_ms]
        self._delivery.change(
            "experiment.start",
            {},
            lambda known, since: (
                (known["status"] == "running" or self.state.is_rebuilt) and (known["startedAtMs"] or 0) >= since
            ),
        )
        within[1] = self._session.server_time_ms()
        self._newer.note_own()
        self.state.is_started = True

    def _finish(self, status: str, message: str | None, meta: Mapping[str, Any]) -> None:
        """Ends it as the recording says. A script that closes all descriptors only seems gone."""
        if self.state.is_left:
            self.state.finished = None
        self._end(status, message, meta)

    def _end(self, status: str, message: str | None, meta: Mapping[str, Any], is_left: bool = False) -> None:
        self._send_last_of_system()
        if self.info.is_primary and self.state.finished is None:
            self._opening.ensure()
            self._opening.look_for_newer()
            if not self.state.is_superseded:
                self._opening.confirm()
            self._note_lost_config()
        if self.info.is_primary and self.state.finished is None and not self.state.is_superseded:
            if message is None:
                self._delivery.change(
                    "experiment.done",
                    {},
                    lambda known, since: known["status"] == "done" and (known["doneAtMs"] or 0) >= since,
                )
            else:
                self._delivery.change(
                    "experiment.error",
                    {"error": message, "meta": meta},
                    lambda known, since: (
                        known["status"] == "error" and known["error"] == message and (known["errorAtMs"] or 0) >= since
                    ),
                )
        self.state.finished = status
        self.state.is_left = is_left
        self.state.clock_ahead_seconds = self._session.clock_ahead_seconds
        self._keep()
        if self._session.is_open:
            self._delivery.revoke()
        self._is_ended = True

    def _note_lost_config(self) -> None:
        self.state.earlier_config = self._opening.lost_config() or self.state.earlier_config
        if self.state.earlier_config is not None:
            self._note_config("the config of a recording that another one of this name replaced")
            # The end is an attempt of its own.
            self.state.attempting_since_ms = None
            self._keep()

    def _end_without_finish(self, rest: Placed | None) -> None:
        """
        Ends a recording that was killed, so that it does not seem to go on. `rest`: a line that
        will never have an end.
        """
        if self.state.finished is None and (self.state.is_started or self.state.is_superseded):
            self._end("error", self._lost_message(), {}, is_left=True)
        else:
            self._send_last_of_system()
        self._is_ended = True
        if rest is None:
            self._count()
        else:
            self._tally.damaged += 1
            self.state.damaged_last += 1
            self._settled(rest)

    def _lost_message(self) -> str:
        with contextlib.suppress(OSError):
            if (self.directory / TERMINATED_FILE).stat().st_size > 0:
                return _TERMINATED_MESSAGE
        return _LOST_MESSAGE

    def _pass_over(self, tail: Tail) -> None:
        """Skips records after the recording's own end, which a loss of power may leave."""
        placed = self._behind_end
        while True:
            if placed:
                self.state.behind_end += len(placed)
                self.state.behind_end_whole += sum(each.record is not None for each in placed)
                self._settled(placed[-1])
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
        self._send_media()

    def _send_media(self) -> None:
        """Sends logged files. An unreachable store delays no end of an experiment."""
        if not (self.directory / MEDIA_FILE).exists():
            return
        try:
            self._opening.ensure()
            self._media.send()
            self._unsent = None
        except GaveUp:
            raise
        except LosslessError as error:
            self._unsent = LosslessError(f"pictures and tables were not sent: {str(error).rstrip('.')}")

    def _media_delivery(self, state: State, is_unsettled: bool, tally: Tally) -> Delivery:
        return Delivery(
            self._session,
            self.info.prefix,
            state,
            self._wait,
            self._keep,
            tally=tally,
            may_retry=self._may_retry,
            is_unsettled=is_unsettled,
        )

    def _settled(self, last: Placed) -> None:
        old = self.state.segment
        self.state.segment, self.state.offset = last.segment, last.offset
        self.state.problem = self.state.stopped = None
        self._count()
        self._keep()
        if last.segment > old:
            self._handed.forget_before(last.segment)
            for number in segments(self.directory):
                if number < last.segment:
                    segment_path(self.directory, number).unlink(missing_ok=True)

    def _look_at_state(self) -> None:
        """
        Checks whether the state can be written. Where it cannot (the disk became read-only), or
        could not some time ago, an earlier sender has sent more than it says.
        """
        written_ms = written_at_ms(self.directory)
        is_stale = self._stale_mark.exists()
        try:
            write_state(self.directory, self.state)
        except OSError:
            is_stale = True
        if is_stale:
            self.state.stale_at_ms = written_ms
            # Existing content of the experiment may be ours.
            self.state.is_rebuilt = self.state.is_rebuilt or not self.state.is_started

    def _keep_handed(self) -> None:
        """
        Writes lines that were handed over and are not settled to the disk, if it has room by now.
        """
        for number in self._handed.numbers():
            lines = self._handed.piece(number)
            if lines is not None and (number, len(lines)) > (self.state.segment, self.state.offset):
                with contextlib.suppress(OSError):
                    write_segment(self.directory, number, lines)

    def _count(self) -> None:
        """Writes counts with the place: records resent after a crash are not counted twice."""
        self.state.add(self._tally)
        self._tally.reset()
        self.state.attempting_since_ms = None

    def _may_retry(self, error: LosslessError) -> bool:
        """Whether to retry: during a recording, a gateway may refuse, or a key be replaced."""
        return is_transient(error) or (self._recording.lives() and not self._recording.is_ending())

    def _retry(self, attempts: int, error: LosslessError) -> None:
        if not self._may_retry(error):
            raise error
        self._wait(attempts, error)

    def _wait(self, attempts: int, error: LosslessError) -> None:
        if attempts == 1:
            self._trying_since = time.monotonic()
        pause = delay(attempts, error)
        self._give_up_in_time(pause, error)
        if self.state.problem != str(error):
            if self.state.problem is None:
                self.state.problem_since = time.time()
            self.state.problem = str(error)
            self._keep()
        until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE_SECONDS))
            self._give_up_in_time(0.0, error)
            if not self._recording.lives() and self._handover.is_asked_for():
                raise GaveUp(str(error))
            if not self._may_retry(error):
                # Tried once more at once, and then reported.
                return

    def _give_up_in_time(self, pause: float, error: LosslessError) -> None:
        end = self._recording.give_up_at(self._trying_since)
        if end is not None and time.monotonic() + pause >= end:
            raise GaveUp(str(error))

    def _keep(self) -> None:
        self._handed.answer = state_message(self.state)
        try:
            write_state(self.directory, self.state)
        except OSError:
            # A later sender has to know.
            with contextlib.suppress(OSError):
                self._stale_mark.touch(mode=0o600)

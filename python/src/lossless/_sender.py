"""The process that sends a spool: started by `init`, or by `lossless sync` for what was left."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ._delivery import Annotation, Delivery, Point
from ._errors import EventRefused, LosslessError
from ._records import encode, records_in
from ._retry import delay, is_transient
from ._service import Service
from ._session import Session
from ._spool import SYSTEM_FILE, RunInfo, read_info, segment_path, segments
from ._state import State, read_state, write_state
from ._system import Sampler
from ._tail import Placed, Tail
from ._wire import EVENTS_PER_REQUEST_MAX

_POLL_SECONDS = 0.2
# Metrics of the machine may come later: they must not cost requests of their own all the time.
_SYSTEM_SECONDS = 5.0
_SYSTEM_BYTES = 2**20
_ANNOTATIONS_PER_REQUEST = 100
_BODY_BYTES = 4 * 2**20
# How long a sender tries on when the process that recorded is gone. What is left then waits for `lossless sync`.
_PATIENCE_AFTER_END_SECONDS = 600.0
_SLICE_SECONDS = 0.5
# Made by `lossless sync`, which may know a better address or key: a sender that waits, and whose recording is over, ends.
HANDOVER = "handover"
_LOST_MESSAGE = "the recording process ended without finish()"


class GaveUp(LosslessError):
    """The time is over; the spool stays."""


class Busy(LosslessError):
    """Another process sends this spool."""


class Sender:
    """
    Sends one spool, in order. `writer_lives` tells whether somebody still records into it; `give_up_at` is asked for
    a monotonic time after which nothing is tried again (None: never).
    """

    def __init__(
        self,
        directory: Path,
        credential: Callable[[], str],
        organization: str | None,
        writer_lives: Callable[[], bool],
        give_up_at: Callable[[], float | None],
        url: str | None = None,
        sampler: Sampler | None = None,
    ) -> None:
        self.directory = directory
        self.info: RunInfo = read_info(directory)
        self.state: State = read_state(directory)
        self._writer_lives = writer_lives
        self._give_up_at = give_up_at
        service = Service(url or self.info.url, credential, organization or self.info.organization)
        self._session = Session(service, self.info.slug, self.state.description, self.state.meta)
        self._delivery = Delivery(self._session, self.info.prefix, self.state, self._wait, self._keep)
        self._sampler = sampler
        # Its points are not those that a script counts.
        self._system_delivery = Delivery(self._session, self.info.prefix, State(), self._wait, self._keep)
        self._system_due = 0.0
        self._is_open = False
        self._is_ended = False

    def run(self) -> None:
        """Until the end of the recording. Raises GaveUp, and what the service refuses for good."""
        tail = Tail(self.directory, self.state.segment, self.state.offset)
        try:
            while not self._is_ended:
                # Asked before reading: what was written until then is read now.
                lives = self._writer_lives()
                placed = tail.read()
                if time.monotonic() >= self._system_due:
                    self._send_system(is_last=False)
                if placed:
                    self._send(placed)
                elif lives:
                    time.sleep(_POLL_SECONDS)
                else:
                    if tail.skip_rest():
                        self.state.damaged += 1
                    self._end_without_finish()
                    break
            self.state.problem = None
            self.state.stopped = None
        except LosslessError as error:
            self.state.stopped = str(error)
            raise
        finally:
            tail.close()
            self._keep()
            self._session.service.close()

    def _send(self, placed: list[Placed]) -> None:
        """Points and annotations in groups, everything else alone."""
        at = 0
        while at < len(placed) and not self._is_ended:
            kind = _kind(placed[at])
            if kind == "m":
                at = self._send_points(placed, at)
            elif kind == "a":
                at = self._send_annotations(placed, at)
            else:
                self._send_other(placed[at].record)
                at += 1
            self._settled(placed[at - 1])

    def _send_points(self, placed: list[Placed], at: int) -> int:
        self._open()
        points: list[Point] = []
        size = 0
        while at < len(placed) and _kind(placed[at]) == "m":
            _, number, timestamp_ms, step, values, meta = placed[at].record  # type: ignore[misc]
            if points and (len(points) + len(values) > EVENTS_PER_REQUEST_MAX or size > _BODY_BYTES):
                break
            meta_json = "{}" if meta is None else encode(meta)
            for name, value in values.items():
                points.append(Point(number, timestamp_ms, step, name, value, meta_json))
                number += 1
                size += 220 + len(name) + len(meta_json)
            at += 1
        # One call of log may have more points than a request takes.
        for start in range(0, len(points), EVENTS_PER_REQUEST_MAX):
            self._delivery.points(points[start : start + EVENTS_PER_REQUEST_MAX])
        return at

    def _send_annotations(self, placed: list[Placed], at: int) -> int:
        self._open()
        items: list[Annotation] = []
        while at < len(placed) and _kind(placed[at]) == "a" and len(items) < _ANNOTATIONS_PER_REQUEST:
            _, text, meta = placed[at].record  # type: ignore[misc]
            items.append(Annotation(text, meta))
            at += 1
        self._delivery.annotations(items)
        return at

    def _send_other(self, record: list[Any] | None) -> None:
        if record is None:
            self.state.damaged += 1
            return
        kind = record[0]
        if kind == "o":
            given = record[1]
            self.state.description, self.state.meta = given.get("description", ""), given.get("meta", {})
            self._session.description, self._session.meta = self.state.description, self.state.meta
            self._is_open = False
            self._open()
        elif kind == "x":
            self.state.refuse(record[1], record[2])
        elif kind == "s" and self.info.is_primary:
            self._open()
            self._delivery.change(
                "experiment.start",
                {},
                lambda known, since: known["status"] == "running" and (known["startedAtMs"] or 0) >= since,
            )
            self.state.is_started = True
        elif kind == "d":
            self._end("done", None, {})
        elif kind == "e":
            self._end("error", record[1], record[2])

    def _send_system(self, is_last: bool) -> None:
        """The metrics of the machine that are there. The last time: nobody writes any more."""
        self._system_due = time.monotonic() + _SYSTEM_SECONDS
        if is_last and self._sampler is not None:
            self._sampler.stop()
        # Before the first opening nothing is known of the experiment.
        if self.state.experiment_id is None:
            return
        try:
            file = open(self.directory / SYSTEM_FILE, "rb")
        except FileNotFoundError:
            return
        with file:
            behind = 1
            while behind:
                file.seek(self.state.system_offset)
                data = file.read(_SYSTEM_BYTES)
                points, behind = system_points(data)
                if points:
                    self._open()
                for start in range(0, len(points), EVENTS_PER_REQUEST_MAX):
                    self._system_delivery.points(points[start : start + EVENTS_PER_REQUEST_MAX])
                # The last time a line without its end, as a crash leaves it, is passed too.
                self.state.system_offset += behind or (len(data) if is_last else 0)
            self._keep()

    def _end(self, status: str, message: str | None, meta: Mapping[str, Any]) -> None:
        self._send_system(is_last=True)
        if self.info.is_primary and self.state.finished is None:
            self._open()
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
        self._keep()
        if self._is_open:
            self._delivery.revoke()
        self._is_ended = True

    def _end_without_finish(self) -> None:
        """Killed, or out of memory: that the run is over must not look like a run that goes on."""
        if self.state.finished is None and self.state.is_started:
            self._end("error", _LOST_MESSAGE, {})
        else:
            self._send_system(is_last=True)
        self._is_ended = True

    def _open(self) -> None:
        """The slug is open and a token is there. Waits for the service as long as it takes."""
        attempts = 0
        while not self._is_open:
            attempts += 1
            try:
                self._try_open()
                self.state.experiment_id = self._session.experiment_id
                self._is_open = True
            except LosslessError as error:
                if not is_transient(error):
                    raise
                self._wait(attempts, error)

    def _try_open(self) -> None:
        if not self.info.is_primary:
            # Another rank opens it with the description and the meta that count; ours would replace them.
            record = self._session.record()
            if record is not None:
                self._session.description, self._session.meta = record["description"], record["meta"]
        self._session.open()
        if self.state.experiment_id is None and self.info.is_primary and self.info.folder is not None:
            self._move(self.info.folder)

    def _move(self, folder: list[str]) -> None:
        service = self._session.service
        parent: str | None = None
        for name in folder:
            try:
                parent = str(service.single("folder.create", {"name": name, "parentFolderId": parent})["folderId"])
            except EventRefused as error:
                if error.code != "folder_already_exists":
                    raise
                parent = str(error.details["folderId"])
        service.single("experiment.move", {"experimentSlug": self.info.slug, "folderId": parent})

    def _settled(self, last: Placed) -> None:
        old = self.state.segment
        self.state.segment, self.state.offset = last.segment, last.offset
        self.state.problem = None
        self._keep()
        if last.segment > old:
            for number in segments(self.directory):
                if number < last.segment:
                    segment_path(self.directory, number).unlink(missing_ok=True)

    def _wait(self, attempts: int, error: LosslessError) -> None:
        end = self._give_up_at()
        pause = delay(attempts, error)
        if end is not None and time.monotonic() + pause >= end:
            raise GaveUp(str(error))
        if self.state.problem != str(error):
            self.state.problem = str(error)
            self._keep()
        until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE_SECONDS))
            if not self._writer_lives() and (self.directory / HANDOVER).exists():
                raise GaveUp(str(error))

    def _keep(self) -> None:
        try:
            write_state(self.directory, self.state)
        except OSError:
            # A full disk: what is sent again is stored once, and other writes are looked up.
            pass


def _kind(placed: Placed) -> str | None:
    record = placed.record
    return record[0] if record else None


def system_points(data: bytes) -> tuple[list[Point], int]:
    """Of the whole lines, and where these end."""
    points: list[Point] = []
    behind = 0
    for behind, record in records_in(data):
        if record is not None:
            _, number, timestamp_ms, step, values, meta = record
            for place, (name, value) in enumerate(values.items()):
                points.append(Point(number + place, timestamp_ms, step, name, value, encode(meta)))
    return points, behind


class SpoolLock:
    """Held while a spool is sent, by one process; the system gives it back when that dies."""

    def __init__(self, directory: Path) -> None:
        self._file = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._file)
        except OSError:
            os.close(self._file)
            raise Busy(f"{directory} is being sent by another process") from None

    def release(self) -> None:
        os.close(self._file)


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Writer:
    """The process that records, seen by the sender that it started: by its pipe, and by who our parent is."""

    def __init__(self, process_id: int) -> None:
        self.process_id = process_id
        self._is_closed = threading.Event()
        self._gone_at: float | None = None
        threading.Thread(target=self._watch, daemon=True).start()

    def lives(self) -> bool:
        is_parent = sys.platform == "win32" or os.getppid() == self.process_id
        if is_parent and not self._is_closed.is_set():
            return True
        self._gone_at = self._gone_at or time.monotonic()
        return False

    def wait(self, seconds: float) -> None:
        """At most so long; shorter when it ends."""
        self._is_closed.wait(seconds)

    def give_up_at(self) -> float | None:
        if self.lives():
            return None
        assert self._gone_at is not None
        return self._gone_at + _PATIENCE_AFTER_END_SECONDS

    def _watch(self) -> None:
        """The other end of our input closes when the process ends it, or dies."""
        while sys.stdin.buffer.read(4096):
            pass
        self._is_closed.set()


def main() -> int:
    """`python -m lossless._sender DIRECTORY`: the credential and the parent are in the environment."""
    from ._cleanup import remove_if_sent
    from ._login import LoginCredential

    directory = Path(sys.argv[1])
    key = os.environ.get("LOSSLESS_SENDER_KEY") or None
    writer = Writer(int(os.environ.get("LOSSLESS_SENDER_PARENT", "0")))
    credential: Callable[[], str] = LoginCredential() if key is None else lambda: str(key)
    try:
        lock = SpoolLock(directory)
    except Busy:
        return 0
    sampler = _sampler(directory, writer)
    if os.environ.get("LOSSLESS_SENDER_OFFLINE"):
        # Nothing to send to; the lock says that it is being recorded.
        if sampler is not None:
            sampler.run()
        lock.release()
        return 0
    if sampler is not None:
        threading.Thread(target=sampler.run, daemon=True).start()
    organization = os.environ.get("LOSSLESS_SENDER_ORGANIZATION") or None
    sender = Sender(directory, credential, organization, writer.lives, writer.give_up_at, sampler=sampler)
    try:
        sender.run()
    except LosslessError:
        # In state.json: `finish` and `lossless sync` tell it.
        return 1
    finally:
        lock.release()
    # Otherwise `finish` waits for us, and wants to read how it went.
    if not writer.lives():
        remove_if_sent(directory)
    return 0


def _sampler(directory: Path, writer: Writer) -> Sampler | None:
    info = read_info(directory)
    if info.system is None:
        return None
    return Sampler(directory, info.system, info.created_at_ms, writer.process_id, writer.lives, writer.wait)


if __name__ == "__main__":
    sys.exit(main())

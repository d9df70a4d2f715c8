"""`lossless import tensorboard`: runs of event files become experiments.

Nothing is kept on this machine: the event files are the spool. The id of a point is made of its file (experiment, name
and first record), the place of its record in it, and its place among the record's values. Importing a directory again,
or going on after a crash, sends the same ids, and the service stores each of them once.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from ._delivery import Annotation, Delivery, Point
from ._errors import EventRefused, LosslessError
from ._login import LoginCredential
from ._records import encode
from ._retry import delay, is_transient
from ._service import Service
from ._session import Session
from ._settings import Settings
from ._state import State
from ._tensorboard_event import Event, MalformedEvent, Scalar, event_of
from ._tfrecord import Damage, Record, RecordReader
from ._values import number_of
from ._wire import (
    EVENTS_PER_REQUEST_MAX,
    METRIC_META_VALUE_BYTES_MAX,
    METRIC_NAME_BYTES_MAX,
    SLUG_CHARACTERS_MAX,
    STEP_MAX,
    TIMESTAMP_MS_MAX,
)

Wait = Callable[[int, LosslessError], None]

_EVENT_FILE = "tfevents"
_NONFINITE_NOTES_MAX = 10_000
_NAMED = 10
_POLL_SECONDS = 1.0


def import_tensorboard(
    root: Path, project: str | None, settings: Settings, out: TextIO, *, follow: bool = False, patience: float = 60.0
) -> bool:
    """
    Until everything is sent; with `follow` until Ctrl-C. True: all that is there is stored. `patience`: seconds without
    any answer of the service before it gives up; with `follow` it waits as long as it takes.
    """
    key = settings.credential
    if key is None:
        raise LosslessError("a credential is needed: set LOSSLESS_API_KEY, or run lossless login")
    credential: Callable[[], str] = LoginCredential() if settings.organization is not None else lambda: str(key)
    service = Service(settings.url, credential, settings.organization)
    patient = _Patience(None if follow else patience, out)
    importer = Importer(root, project, service, patient.wait, out, is_live=follow)
    try:
        with _Stop() as stop:
            while importer.take() or follow:
                # What is there now is still sent.
                if stop.is_asked and follow:
                    follow, patient.seconds = False, patience
                    continue
                time.sleep(_POLL_SECONDS if follow else 0)
        return importer.end()
    finally:
        service.close()


class Importer:
    """All runs below a directory. New ones and new files are found by each `take`."""

    def __init__(
        self, root: Path, project: str | None, service: Service, wait: Wait, out: TextIO, is_live: bool = False
    ) -> None:
        if not root.is_dir():
            raise LosslessError(f"{root} is no directory")
        self._root = root
        self._project = project or root.resolve().name or "tensorboard"
        self._service = service
        self._wait = wait
        self._out = out
        self._is_live = is_live
        self.runs: dict[str, Run] = {}

    def take(self) -> bool:
        """Sends what is there and was not sent. False: nothing new."""
        had = False
        for directory, _, names in os.walk(self._root):
            if any(_EVENT_FILE in name for name in names):
                had = self._run(Path(directory)).take() or had
        return had

    def end(self) -> bool:
        """Tells what became of every run. True: all of it is stored."""
        for run in self.runs.values():
            run.end()
            print(run.told(), file=self._out)
        if not self.runs:
            print(f"there are no event files below {self._root}", file=self._out)
        return bool(self.runs) and not any(run.damages or run.state.refused for run in self.runs.values())

    def _run(self, directory: Path) -> Run:
        path = directory.relative_to(self._root).as_posix()
        if path not in self.runs:
            folder = self._project if "/" not in self._project and path != "." else None
            slug = slug_of(self._project, path)
            self.runs[path] = Run(directory, slug, folder, self._service, self._wait, self._is_live)
        return self.runs[path]


class Run:
    """A directory with event files, and the experiment that it becomes."""

    def __init__(
        self, directory: Path, slug: str, folder: str | None, service: Service, wait: Wait, is_live: bool
    ) -> None:
        self.slug = slug
        self.state = State()
        self.others = 0
        self.damages: list[str] = []
        self._directory = directory
        self._folder = folder
        self._service = service
        self._wait = wait
        self._is_live = is_live
        self._session = Session(service, slug, "Imported from TensorBoard", {"source": "tensorboard"})
        self._files: dict[str, _EventFile] = {}
        self._is_open = False
        self._status: str | None = None
        # Notes of values that are not finite, which have no ids of their own: what the service has of them.
        self._noted: set[str] = set()

    def take(self) -> bool:
        """Sends what its files have now. False: nothing new."""
        had = False
        for name in sorted(os.listdir(self._directory)):
            path = self._directory / name
            if _EVENT_FILE not in name or not path.is_file():
                continue
            known = self._files.get(name)
            if known is not None and known.is_replaced():
                known.close()
                known = None
            if known is None:
                known = self._files[name] = _EventFile(path)
            while found := known.reader.read():
                had = True
                self._send(known, found)
        return had

    def end(self) -> None:
        """Nobody writes any more: what is left in the files is damage, and the experiment is done."""
        for file in self._files.values():
            rest = file.reader.rest()
            if rest is not None:
                self._note_damage(file, rest)
            file.close()
        if self._is_open and self._status != "done":
            self._change("experiment.done", "done")

    def told(self) -> str:
        """One line about it, and one for each damage."""
        state = self.state
        again = f", {state.deduplicated} of them earlier" if state.deduplicated else ""
        parts = [f"{state.stored} points stored{again}"]
        if state.annotations:
            parts.append(f"{state.annotations} notes of values that are not finite")
        if state.refused:
            parts.append(f"{state.refused} refused")
        if self.others:
            parts.append(f"{self.others} values are no scalars and were left out")
        lines = [f"{self.slug}: {', '.join(parts)}"]
        lines += [
            f"  refused: {' '.join(f'{name} {value}' for name, value in refusal.items())}"
            for refusal in state.refusals[:_NAMED]
        ]
        lines += [f"  damaged: {text}" for text in self.damages[:_NAMED]]
        if len(self.damages) > _NAMED:
            lines.append(f"  … {len(self.damages)} damaged places in all")
        return "\n".join(lines)

    def _send(self, file: _EventFile, found: list[Record | Damage]) -> None:
        points: list[Point] = []
        notes: list[Annotation] = []
        for each in found:
            if isinstance(each, Damage):
                self._note_damage(file, each)
                continue
            if each.content is None:
                self.others += 1
                continue
            file.identify(self.slug, each.content)
            try:
                event = event_of(each.content, file.plugins)
            except MalformedEvent as error:
                self._note_damage(file, Damage(each.offset, len(each.content), f"it is no event: {error}"))
                continue
            self.others += event.others
            for scalar in event.scalars:
                self._add(file, each.offset, event, scalar, points, notes)
        if not points and not notes:
            return
        self._open()
        delivery = Delivery(self._session, file.prefix, self.state, self._wait, lambda: None)
        for start in range(0, len(points), EVENTS_PER_REQUEST_MAX):
            delivery.points(points[start : start + EVENTS_PER_REQUEST_MAX])
        new = [note for note in notes if note.meta["imported"] not in self._noted]
        for start in range(0, len(new), 100):
            delivery.annotations(new[start : start + 100])

    def _add(
        self, file: _EventFile, offset: int, event: Event, scalar: Scalar, points: list[Point], notes: list[Annotation]
    ) -> None:
        name, meta = metric_name(scalar.tag)
        value = number_of(scalar.value)
        # Every value takes more than a byte of its record: no two of a file get the same number.
        number = offset + scalar.place
        if not 0 <= event.step <= STEP_MAX:
            return self.state.refuse(1, "a step is from 0 to 2^53 - 2", name=name, step=event.step)
        if not 0 <= event.wall_time * 1000 <= TIMESTAMP_MS_MAX:
            return self.state.refuse(1, "its time is not from 0 to 2^53 - 1 ms", name=name, step=event.step)
        if value is None:
            return self.state.refuse(1, "it is no number", name=name, step=event.step)
        if math.isfinite(value):
            timestamp_ms = round(event.wall_time * 1000)
            points.append(Point(number, timestamp_ms, event.step, name, value, encode(meta)))
        elif file.notes < _NONFINITE_NOTES_MAX:
            file.notes += 1
            word = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
            note = {"kind": "nonfinite", "metricName": name, "step": event.step, "value": word}
            text = f"{name} is {word} at step {event.step}"
            notes.append(Annotation(text, {**note, **meta, "imported": f"{file.prefix}-{number}"}))
        else:
            self.state.refuse(1, f"more than {_NONFINITE_NOTES_MAX} values of a file are not finite", name=name)

    def _open(self) -> None:
        if self._is_open:
            return
        attempts = 0
        while not self._is_open:
            attempts += 1
            try:
                self._try_open()
                self._is_open = True
            except LosslessError as error:
                if not is_transient(error):
                    raise
                self._wait(attempts, error)
        if self._is_live and self._status != "running":
            self._change("experiment.start", "running")

    def _change(self, event: str, status: str) -> None:
        delivery = Delivery(self._session, "-", self.state, self._wait, lambda: None)
        delivery.change(event, {}, lambda record, _since: bool(record["status"] == status))
        self._status = status

    def _try_open(self) -> None:
        session = self._session
        record = session.record()
        if record is not None:
            # What somebody has written there since stays.
            session.description, session.meta, self._status = record["description"], record["meta"], record["status"]
        session.open()
        if record is None and self._folder is not None:
            self._move(self._folder)
        if record is not None:
            reply = self._service.single("query.annotations", {"experimentId": session.experiment_id})
            self._noted = {str(note["meta"].get("imported")) for note in reply["annotations"]}

    def _move(self, folder: str) -> None:
        try:
            created = self._service.single("folder.create", {"name": folder, "parentFolderId": None})
            id = created["folderId"]
        except EventRefused as error:
            if error.code != "folder_already_exists":
                raise
            id = error.details["folderId"]
        self._service.single("experiment.move", {"experimentSlug": self.slug, "folderId": id})

    def _note_damage(self, file: _EventFile, damage: Damage) -> None:
        place = f"{file.path}: {damage.size} bytes at {damage.offset}"
        self.damages.append(f"{place}: {damage.reason}")


class _EventFile:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.prefix = ""
        self.plugins: dict[str, str] = {}
        self.notes = 0
        self._file: BinaryIO = open(path, "rb", buffering=0)
        self.reader = RecordReader(self._file)

    def identify(self, slug: str, first: bytes) -> None:
        """Another file of the same name has another first record: it begins with the time at which it was made."""
        if not self.prefix:
            words = [slug.encode("utf-8"), self.path.name.encode("utf-8", "surrogateescape"), first]
            self.prefix = "tb-" + hashlib.sha256(b"\0".join(words)).hexdigest()[:32]

    def is_replaced(self) -> bool:
        """The name stands for another file now, or its content was cut."""
        own = os.fstat(self._file.fileno())
        try:
            now = os.stat(self.path)
        except OSError:
            return False
        return (own.st_ino, own.st_dev) != (now.st_ino, now.st_dev) or now.st_size < self._file.tell()

    def close(self) -> None:
        self._file.close()


def metric_name(tag: str) -> tuple[str, Mapping[str, Any]]:
    """
    A metric's name is printable ASCII of at most 256 bytes. Another tag is written with %XX, and cut with a piece of
    its hash; the tag itself is then in the points' meta.
    """
    name = re.sub(r"[^ -~]", lambda found: "".join(f"%{byte:02X}" for byte in _utf8(found[0])), tag) or "(no tag)"
    if len(name) > METRIC_NAME_BYTES_MAX:
        name = f"{name[: METRIC_NAME_BYTES_MAX - 9]}~{hashlib.sha256(_utf8(tag)).hexdigest()[:8]}"
    if name == tag:
        return name, {}
    return name, {"tag": _utf8(tag.replace("\0", "\ufffd"))[:METRIC_META_VALUE_BYTES_MAX].decode("utf-8", "ignore")}


def slug_of(project: str, path: str) -> str:
    """The experiment of the run at `path` below the directory; the directory itself is '.'."""
    whole = project if path == "." else f"{project}/{path}"
    slug = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "_", whole).strip()
    if slug != whole or len(slug) > SLUG_CHARACTERS_MAX:
        digest = hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        slug = f"{slug[: SLUG_CHARACTERS_MAX - 9]}~{digest}"
    return slug


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


class _Stop:
    """Ctrl-C and SIGTERM are asked for between two steps: an exception in one would leave out what it has read."""

    def __init__(self) -> None:
        self.is_asked = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> _Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: Any) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _ask(self, _number: int, _frame: Any) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True


class _Patience:
    def __init__(self, seconds: float | None, out: TextIO) -> None:
        self.seconds = seconds
        self._out = out
        self._since = 0.0
        self._told = ""

    def wait(self, attempts: int, error: LosslessError) -> None:
        if attempts == 1:
            self._since = time.monotonic()
        pause = delay(attempts, error)
        if self.seconds is not None and time.monotonic() + pause - self._since > self.seconds:
            raise error
        if str(error) != self._told:
            self._told = str(error)
            print(f"waiting: {error}", file=self._out, flush=True)
        time.sleep(pause)

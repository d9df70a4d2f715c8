"""A directory with event files, and the experiment that it becomes."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .._ground.errors import LosslessError
from .._ground.settings import Settings
from .._ground.warning import counted
from .._ground.wire_numbers import STEP_MAX, TIMESTAMP_MS_MAX
from .._sending.delivery import Annotation, Delivery
from .._sending.point import Point
from .._service.retry import until_done
from .._service.service import Service
from .._service.session import Session
from .._spool.sent_state import State
from .._values.metric_names import metric_name
from .._values.nonfinite import note_of, word_of
from .._values.records import encode
from .._values.values import number_of
from .event import Event, LoggedValue, Scalar
from .event_file import EventFile, told_kinds
from .folding import FoldedRun, folded_tag
from .known_records import KnownRecords
from .logged_notes import LoggedFile, media_notes, text_note
from .meta import RunMeta
from .run_files import RunFiles
from .stored_notes import ID_PREFIX, StoredNotes
from .stored_points import StoredPoints
from .tfrecord import Damage, Record

Wait = Callable[[int, LosslessError], None]

_NOTES_OF_A_FILE_MAX = 10_000
# The service lists 100,000 annotations of an experiment.
_LOGGED_OF_A_FILE_MAX = 50_000
_NOTES_PER_REQUEST = 100
_NAMED = 10


class Run:
    def __init__(
        self,
        directory: Path,
        slug: str,
        folder: str | None,
        service: Service,
        wait: Wait,
        is_stopped: Callable[[], bool],
        is_live: bool,
        settings: Settings,
    ) -> None:
        self.slug = slug
        self._directory = directory
        self._folder = folder
        self._service = service
        self._wait = wait
        self._is_stopped = is_stopped
        self._is_live = is_live
        self._session = Session(service, slug, "Imported from TensorBoard", {})
        self._run_files = RunFiles(slug, settings, self._until_done, is_live)
        self._files: dict[Path, EventFile] = {}
        # Prefixes of the ids of folded runs, made by `add_hparams` below it, by directory.
        self._folded: dict[Path, str] = {}
        self._meta = RunMeta(directory)
        # Called after each request.
        self.sent: Callable[[], None] = lambda: None
        # Files whose name refers to another one now, by their names and first records.
        self._former: dict[tuple[Path, bytes], EventFile] = {}
        self._is_open = False
        self._is_new: bool | None = None
        self._status: str | None = None
        # Content that the service had before; for points, those that may be there under other ids.
        self._stored = StoredPoints()
        self._noted = StoredNotes()
        # Integers that no 64-bit float equals, by metric.
        self._rounded: Counter[str] = Counter()

    @property
    def is_whole(self) -> bool:
        """Whether everything was readable, and all of it is stored."""
        return not any(file.damaged or file.problem or file.tally.refused for file in self._all_files())

    def take(self, names: Iterable[str], folded: Iterable[FoldedRun] = ()) -> None:
        """
        Sends the new content of its files of these names, and of runs by `add_hparams` below it.
        """
        self._meta.read_yaml()
        paths = [self._directory / name for name in sorted(names)]
        for run in folded:
            self._folded[run.directory] = run.slug
            self._meta.add(run.hparams)
            paths += run.paths
        for path in paths:
            file = self._files.setdefault(path, EventFile(path))
            self._take_file(file)
            if file.is_replaced:
                file.end()
                self._former[path, file.head] = file
                file = self._files[path] = EventFile(path)
                self._take_file(file)
            if self._is_stopped():
                return
        if self._run_files.is_due:
            self._send_files()
        if self._is_open and not self._meta.is_complete:
            # Found after the experiment was opened.
            self._until_done(lambda: self._meta.open(self._session))

    def end(self) -> None:
        """Ends the experiment: nothing is written any more, so the rest of the files is damage."""
        self._send_files()
        for file in self._files.values():
            file.end()
            file.records = KnownRecords()
        if self._is_open and self._status != "done":
            self._change("experiment.done", "done")
        self._stored = StoredPoints()

    @property
    def bytes_read(self) -> int:
        return sum(file.bytes_read for file in self._files.values())

    def counts(self) -> tuple[int, int]:
        """Returns the counts of points stored and of values left out, for whatever reason."""
        files = self._all_files()
        return sum(file.tally.stored for file in files), sum(file.others.total() + file.tally.refused for file in files)

    def told(self) -> str:
        """Describes it in one line, and in another for each damage."""
        files = self._all_files()
        again = sum(file.tally.deduplicated for file in files)
        others: Counter[str] = sum((file.others for file in files), Counter())
        parts = [
            f"{counted(sum(file.tally.stored for file in files), 'point')} stored"
            f"{f', {again} of them earlier' if again else ''}"
        ]
        notes = sum(file.notes for file in files)
        logged: Counter[str] = sum((file.logged for file in files), Counter())
        for count, text in (
            (more := sum(file.copied for file in files), f"{more} more in copies of its files"),
            (logged.total(), told_kinds(logged)),
            (notes, f"{counted(notes, 'note')} of values that are not finite"),
            (refused := sum(file.tally.refused for file in files), f"{refused} refused"),
            (others.total(), f"{counted(others.total(), 'value')} left out ({told_kinds(others)})"),
        ):
            if count:
                parts.append(text)
        refusals = [refusal for file in files for refusal in file.tally.refusals]
        damages = [text for file in files for text in file.damages]
        damaged = sum(file.damaged for file in files)
        return "\n".join(
            [
                f"{self.slug}: {', '.join(parts)}",
                *(f"  {problem}" for problem in self._meta.problems),
                *(f"  {file.problem}" for file in files if file.problem),
                *(_rounding(count, name) for name, count in self._rounded.most_common(_NAMED)),
                *([f"  … integers of {len(self._rounded)} metrics are rounded"] if len(self._rounded) > _NAMED else []),
                *(
                    f"  refused: {' '.join(f'{name} {value}' for name, value in refusal.items())}"
                    for refusal in refusals[:_NAMED]
                ),
                *(f"  damaged: {text}" for text in damages[:_NAMED]),
                *([f"  … {damaged} damaged places in total"] if damaged > _NAMED else []),
            ]
        )

    def _all_files(self) -> list[EventFile]:
        """Returns the files, each once, as last read: one may be rewritten, as rsync does."""
        present = {(file.path, file.head) for file in self._files.values()}
        former = [file for name_and_head, file in self._former.items() if name_and_head not in present]
        return [*former, *self._files.values()]

    def _take_file(self, file: EventFile) -> None:
        for found in file.take():
            self._send(file, found)
            self.sent()
            if self._is_stopped():
                return

    def _send(self, file: EventFile, found: list[Record | Damage]) -> None:
        points: list[Point] = []
        notes: list[Annotation] = []
        files: list[LoggedFile] = []
        beside = [each for each in self._files.values() if each is not file and each.path.parent == file.path.parent]
        folded = self._folded.get(file.path.parent)
        # A folded run shares no id with its parent.
        which = "" if folded is None else f"{hashlib.sha256(folded.encode()).hexdigest()[:16]}-"
        for id, event in file.events(found, beside):
            self._meta.add(event.hparams or {})
            for scalar in event.scalars:
                self._add(file, f"{which}{id}-{scalar.place}", event, scalar, points, notes)
            for value in event.logged:
                self._add_logged(file, f"{which}{id}-{value.place}", event, value, notes, files)
        if not points and not notes and not files and not self._meta.has_hparams:
            return
        self._open()
        delivery = Delivery(self._session, ID_PREFIX, State(), self._wait, lambda: None, tally=file.tally)
        new = [point for point in points if not self._stored.takes(point)]
        file.tally.stored += len(points) - len(new)
        file.tally.deduplicated += len(points) - len(new)
        delivery.points(new)
        self._note(delivery, self._new_notes(file, notes))
        wanted = {note.meta["imported"] for note in self._new_notes(file, [each.note for each in files])}
        self._run_files.add(file, [each for each in files if each.note.meta["imported"] in wanted])
        if self._run_files.is_full:
            self._send_files()

    def _send_files(self) -> None:
        sent = self._run_files.send()
        for file in {id(file): file for file, _ in sent}.values():
            delivery = Delivery(self._session, ID_PREFIX, State(), self._wait, lambda: None, tally=file.tally)
            self._note(delivery, [note for one, note in sent if one is file])

    def _new_notes(self, file: EventFile, notes: list[Annotation]) -> list[Annotation]:
        """Returns the notes that are not stored. Where that is unknown they are refused."""
        new = [note for note in notes if not self._noted.takes(note)]
        if not new or self._noted.is_whole:
            return new
        reason = "the experiment has more notes than can be read, so it is unknown whether it has this one"
        meta = new[0].meta
        what = meta.get("_media", meta)
        file.tally.refuse(len(new), reason, name=what.get("metricName", what.get("name")), step=what["step"])
        return []

    def _note(self, delivery: Delivery, new: list[Annotation]) -> None:
        for start in range(0, len(new), _NOTES_PER_REQUEST):
            some = new[start : start + _NOTES_PER_REQUEST]
            delivery.annotations(some)
            # The same file may come again.
            self._noted.add(some)

    def _add(
        self, file: EventFile, id: str, event: Event, scalar: Scalar, points: list[Point], notes: list[Annotation]
    ) -> None:
        name, meta = metric_name(scalar.tag if file.path.parent not in self._folded else folded_tag(scalar.tag))
        value = number_of(scalar.value)
        tally = file.tally
        if not _is_placed(file, event, name):
            return
        if value is None:
            return tally.refuse(1, "it is not a number", name=name, step=event.step)
        timestamp_ms = round(event.wall_time * 1000)
        if value != scalar.value and math.isfinite(value):
            self._rounded[name] += 1
        if math.isfinite(value):
            points.append(Point(id, timestamp_ms, event.step, name, value, encode(meta)))
        elif file.notes < _NOTES_OF_A_FILE_MAX:
            file.notes += 1
            word = word_of(value)
            note = note_of(name, event.step, word, timestamp_ms)
            text = f"{name} is {word} at step {event.step}"
            notes.append(Annotation(text, {**note, **meta, "imported": f"{ID_PREFIX}-{id}"}))
        else:
            tally.refuse(1, f"more than {_NOTES_OF_A_FILE_MAX} values of a file are not finite", name=name)

    def _add_logged(
        self,
        file: EventFile,
        id: str,
        event: Event,
        value: LoggedValue,
        notes: list[Annotation],
        files: list[LoggedFile],
    ) -> None:
        name = value.name if file.path.parent not in self._folded else folded_tag(value.name)
        if not _is_placed(file, event, name):
            return
        count = 1 if isinstance(value.content, str) else len(value.content)
        if file.logged.total() + count > _LOGGED_OF_A_FILE_MAX:
            reason = f"more than {_LOGGED_OF_A_FILE_MAX} pictures, texts and the like in a file"
            return file.tally.refuse(count, reason, name=name)
        timestamp_ms = round(event.wall_time * 1000)
        own_id = f"{ID_PREFIX}-{id}"
        if isinstance(value.content, str):
            notes.append(text_note(name, value.content, event.step, timestamp_ms, own_id))
        else:
            try:
                found = media_notes(name, value.content, event.step, timestamp_ms, own_id)
            except ValueError as error:
                return file.tally.refuse(count, str(error), name=name, step=event.step)
            notes += [each for each in found if isinstance(each, Annotation)]
            files += [each for each in found if isinstance(each, LoggedFile)]
        file.logged[value.kind] += count

    def _open(self) -> None:
        if not self._is_open:
            self._until_done(self._try_open)
            self._is_open = True
        if self._is_live and self._status != "running":
            self._change("experiment.start", "running")

    def _until_done(self, attempt: Callable[[], Any]) -> None:
        until_done(attempt, self._wait)

    def _change(self, event: str, status: str) -> None:
        delivery = Delivery(self._session, "-", State(), self._wait, lambda: None)
        delivery.change(event, {}, lambda record, _since: bool(record["status"] == status))
        self._status = status

    def _try_open(self) -> None:
        session = self._session
        if self._is_new is None:
            # After an opening whose reply was lost it would seem to have existed before.
            self._is_new = session.record() is None
        record = self._meta.open(session)
        self._status = None if record is None else record["status"]
        if self._is_new:
            if self._folder is not None:
                session.move([self._folder])
        else:
            self._noted.read(session)
            if self._meta.is_earlier:
                self._stored.read(session)


def _is_placed(file: EventFile, event: Event, name: str) -> bool:
    """Whether a value has a step and a time that the service takes; otherwise it is refused."""
    reason = ""
    if not 0 <= event.step <= STEP_MAX:
        reason = "a step is from 0 to 2^53 - 2"
    elif not 0 <= event.wall_time * 1000 <= TIMESTAMP_MS_MAX:
        reason = "its time is not from 0 to 2^53 - 1 ms"
    if reason:
        file.tally.refuse(1, reason, name=name, step=event.step)
    return not reason


def _rounding(count: int, name: str) -> str:
    values = "1 value is" if count == 1 else f"{count} values are"
    return f"  {values} rounded to a 64-bit number: {name}"

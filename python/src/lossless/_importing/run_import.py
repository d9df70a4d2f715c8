"""One run of a source on its way into an experiment: opened, sent, and ended."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._console.secrets import masked
from .._ground.endpoints import append_console
from .._ground.errors import ConnectionFailed, LosslessError
from .._ground.settings import Settings
from .._ground.wire_numbers import CONSOLE_LINE_CHARACTERS_MAX
from .._sending.delivery import Annotation, Delivery
from .._sending.point import Point
from .._service.retry import is_about_content, until_done
from .._service.service import Service
from .._service.session import Session
from .._spool.sent_state import State, Tally
from .._tensorboard.logged_notes import LoggedFile, media_notes
from .._values.values import storable
from .mapping import NONFINITE_MAX, NamedMetrics, nonfinite_note, note_annotation, problem_of, stored_value
from .run_files import RunFiles, digest_of_files, fitting, made_of
from .run_meta import check_ours, meta_of, record_of
from .source import Item, LeftOut, Line, Logged, Number, SourceRun, StoredArtifact
from .stored_run import StoredNotes

_POINTS = 5_000
_NOTES = 100
_FILES = 100
_LINES = 5_000
_LINE_BYTES = 2**20

Wait = Callable[[int, LosslessError], None]


class Stopped(Exception):
    """The user has asked to stop; what was sent stays."""


class RunImport:
    def __init__(
        self,
        run: SourceRun,
        format: str,
        title: str,
        slug: str,
        folder: list[str],
        service: Service,
        settings: Settings,
        wait: Wait,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._run = run
        self._title = title
        self._prefix = format
        self.slug = slug
        self._folder = folder
        self._service = service
        self._wait = wait
        self._is_stopped = is_stopped
        self.session = Session(service, slug, "", {})
        self._delivery: Delivery | None = None
        self.tally = Tally()
        self.notes = StoredNotes()
        self._files = RunFiles(service, settings, self.until_done)
        self.left_out: Counter[LeftOut] = Counter()
        self.media = 0
        # Called with the number of items that are settled.
        self.sent: Callable[[int], None] = lambda count: None
        # By part of the console: the number of the next line, and how many were read.
        self._console_next: dict[str, int] = {}
        self._console_read: Counter[str] = Counter()
        self._nonfinite = 0
        self._names = NamedMetrics()
        # Files and artifacts that are stored: their names in the source, and their versions.
        self.files: list[dict[str, Any]] = []

    @property
    def experiment_id(self) -> str:
        return self.session.experiment_id

    def open(self) -> bool:
        """Opens the experiment; returns whether it existed. Raises NotOurs."""
        existed = False
        head = self._run.head
        record = record_of(self._prefix, self._run.key, head)

        def attempt() -> None:
            nonlocal existed
            # The names are counted once, whatever the number of attempts.
            self.left_out.clear()
            stored = self.session.record()
            existed = existed or stored is not None
            before: Mapping[str, Any] = {}
            if stored is not None:
                check_ours(self.slug, stored, record)
                before = stored["meta"]
            meta, left_out = meta_of(record, head, before)
            self.left_out.update(
                {LeftOut(f"config {name}", "the meta of an experiment has 64 KiB"): 1 for name in left_out}
            )
            self.session.meta = meta
            self.session.description = head.notes or f"Imported from {self._title}"
            self.session.open({"meta": meta} if meta != before else None)
            if stored is None and self._folder:
                self.session.move(self._folder)

        self.until_done(attempt)
        self._delivery = Delivery(self.session, self._prefix, State(), self._wait, lambda: None, tally=self.tally)
        if existed:
            self.until_done(lambda: self.notes.read(self._service, self.experiment_id))
        return existed

    def send(self) -> None:
        """Sends all items, in their order by kind. Raises Stopped."""
        for some in _batches(self._run.items(), _POINTS):
            if self._is_stopped():
                raise Stopped
            self._send_points(some)
            self._send_notes(some)
            self._send_media([item for item in some if isinstance(item, Logged)])
            lines = [item for item in some if isinstance(item, Line)]
            for part in dict.fromkeys(line.part for line in lines):
                self._send_lines(part, [line for line in lines if line.part == part])
            self.sent(len(some))

    def send_files(self) -> None:
        """Sends the files of the run, and the artifacts that it has logged."""
        kept, left_out = fitting(list(self._run.files()))
        self.left_out.update(left_out)
        if kept:
            self._send_version(f"{self.slug}/files", {"kind": "files"}, StoredArtifact("files", {}, kept))
        for artifact in self._run.artifacts():
            if self._is_stopped():
                raise Stopped
            kept, left_out = fitting(artifact.files)
            self.left_out.update(left_out)
            project = self.slug.rpartition("/")[0]
            path = f"{project}/{artifact.name}" if project else artifact.name
            if kept:
                self._send_version(path, artifact.meta, artifact._replace(files=kept))

    def end(self) -> None:
        """Gives the experiment the status of the run, unless it has it."""
        head = self._run.head
        if head.status == "running":
            return
        found: list[Mapping[str, Any] | None] = []
        self.until_done(lambda: found.append(self.session.record()))
        record = found[-1] or {}
        assert self._delivery is not None, "BUG: ended before it was opened"
        if head.status == "done" and record.get("status") != "done":
            self._delivery.change("experiment.done", {}, lambda now, _: bool(now["status"] == "done"))
        elif head.status == "error" and (record.get("status"), record.get("error")) != ("error", head.error):
            data = {"error": head.error, "meta": {}}
            self._delivery.change("experiment.error", data, lambda now, _: bool(now["error"] == head.error))

    def until_done(self, attempt: Callable[[], Any]) -> None:
        until_done(attempt, self._wait)

    # ---- by kind

    def _send_points(self, items: list[Item]) -> None:
        points: list[Point] = []
        notes: list[Annotation] = []
        for item in items:
            if not isinstance(item, Number) or problem_of(item) is not None:
                continue
            named = self._names.of(item.name)
            value = stored_value(item.value)
            if value - value == 0:
                points.append(Point(item.id, item.timestamp_ms, item.step, named[0], value + 0.0, named[2]))
            elif self._nonfinite < NONFINITE_MAX:
                self._nonfinite += 1
                notes.append(nonfinite_note(item, value, named, self._id(item.id)))
        assert self._delivery is not None, "BUG: sent before it was opened"
        self._delivery.points(points)
        self._annotate(notes)

    def _send_notes(self, items: list[Item]) -> None:
        self._annotate(
            [note_annotation(item, self._id(item.id)) for item in items if not isinstance(item, (Number, Logged, Line))]
        )

    def _send_media(self, items: list[Logged]) -> None:
        waiting: list[LoggedFile] = []
        notes: list[Annotation] = []
        for item in items:
            try:
                found = media_notes(item.name, item.media, item.step, item.timestamp_ms, self._id(item.id))
            except (OSError, ValueError, TypeError) as error:
                self.left_out[LeftOut(f"media of {item.name}", str(error))] += len(item.media)
                continue
            self.media += len(item.media)
            notes += [each for each in found if isinstance(each, Annotation)]
            waiting += [each for each in found if isinstance(each, LoggedFile)]
        self._annotate(notes)
        for start in range(0, len(waiting), _FILES):
            # The others are stored already, if the run has grown.
            some = [
                each for each in waiting[start : start + _FILES] if each.note.meta["imported"] not in self.notes.ids
            ]
            if not some:
                continue
            ids = [str(each.note.meta["imported"]) for each in some]
            artifact = f"{self.slug}/media"
            # Media with equal paths in a version are equal: the path ends with the id.
            files: list[tuple[Any, str]] = [(each.content, each.path) for each in some]
            meta = {"experiment": self.slug, "kind": "media"}
            version, _ = self._files.store(artifact, made_of(ids), meta, files)
            self._annotate([each.stored(artifact, version) for each in some])

    def console_id(self, part: str) -> str:
        """Returns the id of the source that has the lines of a part of the console."""
        run = hashlib.sha256(self._run.key.encode()).hexdigest()[:16]
        inner = f"-{hashlib.sha256(part.encode('utf-8', 'replace')).hexdigest()[:8]}" if part else ""
        return f"{self._prefix}-{run}{inner}"

    def _send_lines(self, part: str, lines: list[Line]) -> None:
        if part not in self._console_next:
            self._console_next[part] = self._append(part, 0, [])
        first = self._console_read[part]
        self._console_read[part] += len(lines)
        new = lines[max(0, self._console_next[part] - first) :]
        for some in _of_bytes(new):
            sent = [
                {
                    "timestampMs": max(0, line.timestamp_ms),
                    "stream": line.stream,
                    "text": masked(storable(line.text))[:CONSOLE_LINE_CHARACTERS_MAX],
                }
                for line in some
            ]
            self._console_next[part] = self._append(part, self._console_next[part], sent)

    def _append(self, part: str, first: int, lines: list[dict[str, Any]]) -> int:
        replies: list[int] = []
        body = json.dumps({"source": {"id": self.console_id(part)}, "first": first, "lines": lines}).encode("ascii")

        def attempt() -> None:
            reply = self.session.post(body, append_console)
            try:
                replies.append(int(json.loads(reply)["next"]))
            except (ValueError, TypeError, KeyError):
                raise ConnectionFailed("the reply does not say how many lines are stored") from None

        self.until_done(attempt)
        return replies[-1]

    def _annotate(self, notes: list[Annotation]) -> None:
        """Adds those that are not there. Where that is unknown they are left out."""
        new = [each for each in notes if each.meta["imported"] not in self.notes.ids]
        if new and not self.notes.is_whole:
            reason = "the experiment has more annotations than can be read, so it is unknown whether it has this one"
            self.left_out[LeftOut("annotations", reason)] += len(new)
            return
        assert self._delivery is not None, "BUG: sent before it was opened"
        for start in range(0, len(new), _NOTES):
            some = new[start : start + _NOTES]
            self._delivery.annotations(some)
            self.notes.ids.update(each.meta["imported"] for each in some)

    def _send_version(self, path: str, meta: dict[str, Any], artifact: StoredArtifact) -> None:
        try:
            digest = digest_of_files(artifact.files)
            imported = made_of([self._prefix, self._run.key, artifact.name, digest])
            files: list[tuple[Any, str]] = [(each.path, each.name) for each in artifact.files]
            version, is_new = self._files.store(path, imported, {"experiment": self.slug, **meta}, files)
        except (OSError, LosslessError) as error:
            if isinstance(error, LosslessError) and not is_about_content(error):
                raise
            self.left_out[LeftOut(f"files of {path}", str(error))] += len(artifact.files)
            return
        told = {"artifact": path, "version": version, "files": len(artifact.files), "digest": digest, "isNew": is_new}
        self.files.append(told)

    def _id(self, id: str) -> str:
        return f"{self._prefix}-{id}"


def _batches(items: Iterator[Item], most: int) -> Iterator[list[Item]]:
    while some := list(itertools.islice(items, most)):
        yield some


def _of_bytes(lines: list[Line]) -> Iterator[list[Line]]:
    some: list[Line] = []
    size = 0
    for line in lines:
        if some and (len(some) >= _LINES or size + len(line.text) > _LINE_BYTES):
            yield some
            some, size = [], 0
        some.append(line)
        size += len(line.text)
    if some:
        yield some

"""One run of Trackio."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._artifacts.names import safe_name
from ..._media.media import FILE_BYTES_MAX, Histogram, Media, Table
from ..._values.config import jsonable
from ..source import Item, Logged, Note, Number, SourceRun, StoredArtifact, StoredFile, Text
from ..stored_file import FileMedia
from ..tree import leaves, number_or_text
from .project import Project, Row, json_in

_FILES = {"trackio.image": "image", "trackio.video": "video", "trackio.audio": "audio", "trackio.html": "html"}
# Keys of the config that Trackio itself writes.
_OWN = ("_Username", "_Created", "_Group")


class Unmapped(ValueError):
    """There is no counterpart, or its file is missing."""


class TrackioRun(SourceRun):
    def __init__(self, project: Project, run_id: str, name: str, is_first: bool) -> None:
        self.key = f"{project.name}/{run_id}"
        # The oldest run of a name has it alone.
        self.slug = f"{project.name}/{name}" if is_first else f"{project.name}/{name}-{run_id[:8]}"
        self._project = project
        self._run_id = run_id
        self._name = name
        self._media = project.path.parent / "media"
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        self.head.name = self._name
        self._start_ms: int | None = None

    @property
    def place(self) -> str:
        return str(self._project.path)

    @property
    def size(self) -> int:
        return self._project.path.stat().st_size

    def items(self) -> Iterator[Item]:
        self._reset()
        for row in self._project.rows("configs", self._run_id):
            self._config(json_in(row["config"]) or {})
        for row in self._project.rows("metrics", self._run_id):
            yield from self._metrics(row)
        for row in self._project.rows("system_metrics", self._run_id):
            yield from self._system(row)
        for row in self._project.rows("alerts", self._run_id):
            text = f"{row['title']}: {row['text']}" if row["text"] else str(row["title"])
            meta = {"kind": "alert", "level": str(row["level"]).upper(), "timestampMs": _milliseconds(row["timestamp"])}
            step = {} if row["step"] is None else {"step": row["step"]}
            yield Note(f"alert-{row.get('alert_id') or row['place']}", text, {**meta, **step})
        traces = sum(1 for _ in self._project.rows("traces", self._run_id))
        if traces:
            self.leave_out("traces", "they have no counterpart", traces)

    def artifacts(self) -> Iterable[StoredArtifact]:
        blobs = self._project.path.parent / "artifacts" / self._project.name / "blobs" / "sha256"
        for row in self._project.artifacts(self._run_id, self._name):
            entries = json_in(row["manifest"]) or []
            what = f"artifact {row['name']}:v{row['version']}"
            files = [
                StoredFile(blobs / str(each["digest"])[:2] / str(each["digest"]), str(each["path"]))
                for each in entries
                if "ref" not in each
            ]
            missing = next((each.name for each in files if not each.path.is_file()), None)
            if missing is not None or not files:
                reason = "it has no files of its own" if missing is None else f"{missing} is not on this machine"
                self.leave_out(what, reason)
                continue
            meta = {"type": row["type"], "trackioVersion": row["version"]}
            more = {"description": row["description"], "metadata": json_in(row["metadata"])}
            yield StoredArtifact(safe_name(row["name"]), {**meta, **{k: v for k, v in more.items() if v}}, files)

    def _config(self, config: Mapping[str, Any]) -> None:
        head = self.head
        head.config = {key: value for key, value in config.items() if key not in _OWN}
        head.group = config.get("_Group") or None
        created = config.get("_Created")
        self._start_ms = _milliseconds(created) if isinstance(created, str) else None
        head.facts.update({"startedAtMs": self._start_ms, "user": config.get("_Username")})

    def _metrics(self, row: Row) -> Iterator[Item]:
        content = json_in(row["metrics"])
        if not isinstance(content, dict):
            self.problems.append(f"damaged: row {row['place']} of metrics in {self.place} is no JSON")
            return
        timestamp_ms = _milliseconds(row["timestamp"])
        if self._start_ms is None:
            self._start_ms = timestamp_ms
        base = self._id(row)
        for name, inner, value in leaves(content):
            yield from self._item(f"{base}-{inner}", name, int(row["step"]), timestamp_ms, number_or_text(value))

    def _item(self, id: str, name: str, step: int, timestamp_ms: int, value: Any) -> Iterator[Item]:
        if isinstance(value, (bool, int, float)):
            yield Number(id, name, step, timestamp_ms, int(value) if isinstance(value, bool) else value)
        elif isinstance(value, str):
            yield Text(id, name, step, timestamp_ms, value)
        elif value is None:
            self.leave_out(f"null of {name}", "it is no value")
        elif isinstance(value, dict) and value["_type"] == "trackio.markdown":
            yield Text(id, name, step, timestamp_ms, str(value.get("_value", "")))
        else:
            media = value if isinstance(value, list) else [value]
            if not media or not all(isinstance(each, dict) and "_type" in each for each in media):
                yield Text(id, name, step, timestamp_ms, json.dumps(jsonable(value), ensure_ascii=False))
                return
            try:
                yield Logged(id, name, step, timestamp_ms, [self._medium(each) for each in media])
            except Unmapped as error:
                self.leave_out(f"{media[0]['_type']} of {name}", str(error))

    def _medium(self, value: Mapping[str, Any]) -> Media:
        kind = str(value["_type"])
        if kind in _FILES:
            path = self._media / str(value.get("file_path"))
            if not path.is_file():
                raise Unmapped(f"its file is missing: {value.get('file_path')}")
            if path.stat().st_size > FILE_BYTES_MAX:
                raise Unmapped(f"its file has more than {FILE_BYTES_MAX} bytes")
            caption = value.get("caption")
            return FileMedia(_FILES[kind], path, caption=None if caption in (None, "") else str(caption))
        if kind == "trackio.histogram":
            counts, edges = value.get("values"), value.get("bins")
            if isinstance(counts, list) and isinstance(edges, list) and len(edges) == len(counts) + 1:
                return Histogram(np_histogram=(counts, edges))
        rows = value.get("_value")
        if kind == "trackio.table" and isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            columns = list(dict.fromkeys(key for row in rows for key in row))
            return Table(columns=columns, data=[[row.get(column) for column in columns] for row in rows])
        raise Unmapped("it has no counterpart")

    def _system(self, row: Row) -> Iterator[Item]:
        content = json_in(row["metrics"])
        timestamp_ms = _milliseconds(row["timestamp"])
        # As the client's own metrics of the machine: the step is the age of the run in seconds.
        step = max(0, (timestamp_ms - (self._start_ms or timestamp_ms)) // 1000)
        for name, inner, value in leaves(content if isinstance(content, dict) else {}):
            value = number_or_text(value)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield Number(f"system-{self._id(row)}-{inner}", f"system/{name}", step, timestamp_ms, value)
            elif value is not None:
                self.leave_out(f"system/{name}", "it is no number")

    def _id(self, row: Row) -> str:
        """Identifies a row: by its own id, or in old versions by its place and its content."""
        if row.get("log_id"):
            return str(row["log_id"])
        text = f"{row['run_name']}\0{row['timestamp']}\0{row.get('step')}\0{row['metrics']}"
        return f"{row['place']}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _milliseconds(text: str) -> int:
    """Parses a time of ISO 8601, which is UTC where it names no zone."""
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(milliseconds=1)

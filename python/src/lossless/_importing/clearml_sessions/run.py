"""One offline session of ClearML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..._console.line_maker import last_state
from ..._console.secrets import masked
from ..._ground.errors import LosslessError
from ..._media.media import FILE_BYTES_MAX
from ..archive import Archive
from ..source import Item, Line, Logged, Note, Number, SourceRun, StoredFile
from ..stored_file import FileMedia, is_inside, kind_of_file
from ..tree import number_or_text

TASK = "task.json"
# The iteration of single values, which have none.
_SINGLE = -(2**31)
_MONITOR = ":monitor:"
_WRONG_TOLD = 20


class ClearmlRun(SourceRun):
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._reset()
        task = self._archive.mapping(TASK)
        # A session that cannot be read is told under the name of its file.
        self.key = str(task.get("id") or archive.path.stem)
        project = str(task.get("project_name") or "").strip("/")
        # Tasks may have equal names. None has the plain one: another session may be found later.
        name = f"{task['name']}-{self.key.removeprefix('offline-')[:8]}" if task.get("name") else self.key
        self.slug = f"{project}/{name}" if project else name

    def _reset(self) -> None:
        super()._reset()
        self._media: set[Path] = set()
        self._wrong = 0
        self._start_ms: int | None = None
        self._end_ms: int | None = None

    @property
    def place(self) -> str:
        return str(self._archive.path)

    @property
    def size(self) -> int:
        return self._archive.size

    def items(self) -> Iterator[Item]:
        self._reset()
        root = self._archive.root()
        self.problems += self._archive.problems
        task = self._archive.mapping(TASK)
        if not task:
            raise LosslessError(f"{self.place} has no {TASK} that can be read")
        self._describe(task)
        single: dict[str, Any] = {}
        for id, event in self._events(root / "metrics.jsonl"):
            yield from self._item(id, event, root, task, single)
        if single:
            yield Note("summary", "summary of the run", {"kind": "summary", "summary": single})
        for _, event in self._events(root / "log.jsonl"):
            yield from self._lines(event)
        self.head.facts.update({"startedAtMs": self._start_ms, "endedAtMs": self._end_ms})

    def files(self) -> Iterable[StoredFile]:
        data = self._archive.root() / "data"
        found = []
        for path in sorted(data.rglob("*")):
            if path.is_file() and not is_inside(path, data):
                self.leave_out(f"file {path.relative_to(data).as_posix()}", "it is a link out of the session")
            elif path.is_file() and path not in self._media:
                name = path.relative_to(data).as_posix()
                # Below project and task, which the run has as its name.
                _, mark, inner = name.partition(f".{self.key}/")
                found.append(StoredFile(path, inner if mark else name))
        diff = (self._archive.mapping(TASK).get("script") or {}).get("diff")
        if diff:
            path = self._made("script.diff")
            path.write_text("\n".join(map(masked, str(diff).split("\n"))), encoding="utf-8", errors="replace")
            found.append(StoredFile(path, "script.diff"))
        return found

    # ---- reading

    def _made(self, name: str) -> Path:
        """Returns the place of a file that is made of the content."""
        directory = self._archive.kept() / "made"
        directory.mkdir(exist_ok=True)
        return directory / name

    def _events(self, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yields the events with an id; each line is a list of them."""
        if not path.is_file():
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    events = json.loads(line)
                except ValueError as error:
                    cut = "" if line.endswith("\n") else ", the file ends within it"
                    self._tell(f"{path.name}:{number}: no JSON: {error}{cut}")
                    events = _whole_events(line)
                for place, event in enumerate(events if isinstance(events, list) else [events]):
                    if isinstance(event, dict):
                        yield f"{number}-{place}", event
                    else:
                        self._tell(f"{path.name}:{number}: an event is no object")
        if self._wrong > _WRONG_TOLD:
            self.problems.append(f"{path.name}: and {self._wrong - _WRONG_TOLD} more wrong lines")
        self._wrong = 0

    def _tell(self, text: str) -> None:
        self._wrong += 1
        if self._wrong <= _WRONG_TOLD:
            self.problems.append(text)

    # ---- events

    def _item(
        self, id: str, event: Mapping[str, Any], root: Path, task: Mapping[str, Any], single: dict[str, Any]
    ) -> Iterator[Item]:
        kind = event.get("type")
        metric, variant = str(event.get("metric") or ""), str(event.get("variant") or "")
        step, timestamp_ms = event.get("iter"), event.get("timestamp")
        if not isinstance(timestamp_ms, (int, float)):
            self._tell(f"metrics.jsonl: an event of {metric} has no time")
            return
        timestamp_ms = round(timestamp_ms)
        self._at(timestamp_ms)
        step = step if isinstance(step, int) else 0
        name = _name(metric, variant)
        if kind == "training_stats_scalar":
            value = number_or_text(event.get("value"))
            if not isinstance(value, (int, float)):
                self._tell(f"metrics.jsonl: {name} at {step} is no number: {value!r:.80}")
            elif step == _SINGLE:
                single[variant] = value
            else:
                yield Number(id, name, step, timestamp_ms, value)
        elif kind == "plot":
            path = self._made(f"{id}.plotly.json")
            path.write_text(str(event.get("plot_str") or "{}"), encoding="utf-8", errors="replace")
            yield Logged(id, name, max(0, step), timestamp_ms, [FileMedia("plotly", path, ".plotly.json")])
        elif kind == "training_debug_image":
            yield from self._image(id, event, root, task, name, step, timestamp_ms)
        else:
            self.leave_out(f"{kind} of {name}", "it has no counterpart")

    def _image(
        self,
        id: str,
        event: Mapping[str, Any],
        root: Path,
        task: Mapping[str, Any],
        name: str,
        step: int,
        timestamp_ms: int,
    ) -> Iterator[Item]:
        url = str(event.get("url") or "")
        inner = url.removeprefix(str(task.get("offline_folder") or "")).lstrip("/")
        path = root / inner
        if not is_inside(path, root) or not path.is_file():
            self.leave_out(f"image {name}", f"its file is not in the session: {url}")
            return
        kind = kind_of_file(path)
        if kind is None or path.stat().st_size > FILE_BYTES_MAX:
            # It is among the files of the run.
            self.leave_out(f"image {name}", "it is only among the files of the run")
            return
        self._media.add(path)
        yield Logged(id, name, max(0, step), timestamp_ms, [FileMedia(kind[0], path, kind[1])])

    def _lines(self, event: Mapping[str, Any]) -> Iterator[Line]:
        timestamp_ms = event.get("timestamp")
        if not isinstance(timestamp_ms, (int, float)):
            return
        self._at(round(timestamp_ms))
        level = str(event.get("level") or "").lower()
        stream = "stderr" if level in ("error", "critical", "fatal") else "stdout"
        for text in str(event.get("msg") or "").removesuffix("\n").split("\n"):
            yield Line(round(timestamp_ms), stream, last_state(text))

    def _at(self, timestamp_ms: int) -> None:
        self._start_ms = timestamp_ms if self._start_ms is None else min(self._start_ms, timestamp_ms)
        self._end_ms = timestamp_ms if self._end_ms is None else max(self._end_ms, timestamp_ms)

    # ---- the head

    def _describe(self, task: Mapping[str, Any]) -> None:
        head = self.head
        head.name = task.get("name")
        head.notes = str(task.get("comment") or "")
        head.tags = [str(each) for each in task.get("tags") or []]
        head.job_type = task.get("type")
        for section, entries in (task.get("hyperparams") or {}).items():
            for name, entry in (entries or {}).items():
                head.config[f"{section}/{name}"] = _typed(entry)
        for name, entry in (task.get("configuration") or {}).items():
            head.config[f"configuration/{name}"] = (entry or {}).get("value")
        script = task.get("script") or {}
        source = {
            "remote": script.get("repository"),
            "commit": script.get("version_num"),
            "branch": script.get("branch"),
            "script": script.get("entry_point"),
            "directory": script.get("working_dir"),
        }
        head.origin["_source"] = {name: each for name, each in source.items() if each}
        head.facts.update({"project": task.get("project_name")})


def _whole_events(line: str) -> list[Any]:
    """Returns the events before the place where a line is damaged."""
    found: list[Any] = []
    decoder = json.JSONDecoder()
    place = line.find("{")
    while place >= 0:
        try:
            event, place = decoder.raw_decode(line, place)
        except ValueError:
            break
        found.append(event)
        place = line.find("{", place)
    return found


def _name(metric: str, variant: str) -> str:
    """Returns the name of a series: title and series, as ClearML's tables have it."""
    if metric.startswith(_MONITOR):
        return f"system/{variant}"
    return metric if variant in ("", metric) else f"{metric}/{variant}"


def _typed(entry: Any) -> Any:
    """Returns a value, which ClearML has as text, of the type that it names."""
    if not isinstance(entry, dict):
        return entry
    value, kind = entry.get("value"), entry.get("type")
    try:
        if kind == "int":
            return int(str(value))
        if kind == "float":
            return float(str(value))
    except ValueError:
        return value
    if kind == "bool" and str(value) in ("True", "False"):
        return str(value) == "True"
    return value

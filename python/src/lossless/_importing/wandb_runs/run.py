"""One run of W&B: its `.wandb` files, several if it was resumed, and the files beside them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..._console.line_maker import LineMaker
from ..._tensorboard.protobuf import Malformed
from ..._values.metric_definitions import merged
from ..record_log import Damage, NotRecords, records_of
from ..source import Item, Line, Note, Number, SourceRun, StoredArtifact, StoredFile
from ..tree import put, remove
from . import record as records
from .artifacts import artifact_of
from .history import History
from .record import milliseconds

_SUMMARIES = {1: "min", 2: "max", 3: "mean", 4: "best", 5: "last", 6: "none", 7: "copy", 8: "first"}
_GOALS = {1: "minimize", 2: "maximize"}
# As W&B names it.
_NO_PROJECT = "uncategorized"
_DAMAGES_TOLD = 10
# Raised by content that W&B has not written; Malformed is a ValueError.
_DAMAGES = (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, struct.error)


class WandbRun(SourceRun):
    def __init__(self, project: str, run_id: str, paths: list[Path]) -> None:
        self.slug = f"{project or _NO_PROJECT}/{run_id}"
        self.key = self.slug
        self._paths = paths
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        self._summary: dict[str, Any] = {}
        self._history_rows = History(self.left_out)
        self._artifacts: list[bytes] = []
        self._makers: dict[str, LineMaker] = {}
        self._start_ms = 0
        self._last_line_ms = 0
        self._has_console = False
        self._has_end = False
        self._damages = 0

    @property
    def place(self) -> str:
        return str(self._paths[0].parent) + (f" and {len(self._paths) - 1} more" if len(self._paths) > 1 else "")

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self._paths if path.exists())

    def items(self) -> Iterator[Item]:
        self._reset()
        for path in self._paths:
            yield from self._items_of(path)
        if not self._has_end:
            # W&B itself would say "crashed" or, while it goes on, "running".
            self.head.status, self.head.error = "error", "the W&B run has no end: its process was killed, or goes on"
        yield from self._history_rows.summary({name: _parsed(value) for name, value in self._summary.items()})

    def files(self) -> Iterable[StoredFile]:
        found: dict[str, StoredFile] = {}
        for path in self._paths:
            directory = path.parent / "files"
            for each in sorted(directory.rglob("*")):
                if each.is_file():
                    name = each.relative_to(directory).as_posix()
                    # A resumed run replaces the files of its earlier part.
                    found[name] = StoredFile(each, name)
        return list(found.values())

    def artifacts(self) -> Iterable[StoredArtifact]:
        for content in self._artifacts:
            try:
                artifact = artifact_of(content, self.left_out)
            except _DAMAGES as error:
                self.leave_out("an artifact", f"its record is damaged: {error}")
                continue
            if artifact is not None:
                yield artifact

    # ---- one file

    def _items_of(self, path: Path) -> Iterator[Item]:
        head = ""
        self._has_console = False
        self._has_end = False
        self._makers = {}
        try:
            for each in records_of(path):
                if isinstance(each, Damage):
                    self._damaged(path, each)
                    continue
                try:
                    kind, content = records.record_of(each.content)
                    if kind == records.RUN and not head:
                        # Has the nanosecond at which the run began.
                        head = hashlib.sha256(content).hexdigest()[:16]
                    yield from self._record(kind, content, f"{head or path.stem}-{each.offset}", path.parent / "files")
                except _DAMAGES as error:
                    self._damaged(path, Damage(each.offset, f"it is no record of W&B: {error}"))
        except (OSError, NotRecords) as error:
            self.problems.append(str(error))
        for stream, maker in self._makers.items():
            for line in maker.end():
                yield Line(self._last_line_ms, stream, line.text)
        if not self._has_console:
            yield from self._output_of(path.parent / "files" / "output.log")

    def _damaged(self, path: Path, damage: Damage) -> None:
        self._damages += 1
        if self._damages <= _DAMAGES_TOLD:
            self.problems.append(f"damaged: {path} at {damage.offset}: {damage.reason}")

    def _record(self, kind: int, content: bytes, id: str, files: Path) -> Iterator[Item]:
        if kind == records.HISTORY:
            yield from self._history(content, id, files)
        elif kind == records.SUMMARY:
            self._summarize(content)
        elif kind == records.STATS:
            yield from self._stats(content, id)
        elif kind in (records.OUTPUT_RAW, records.OUTPUT):
            yield from self._output(content, kind == records.OUTPUT)
        elif kind == records.OUTPUT_LOGGER:
            self._has_console = True
            yield Line(self._last_line_ms or self._start_ms, "info", _first(records.text_members(content), 1))
        elif kind == records.CONFIG:
            self._change(self.head.config, content)
        elif kind == records.RUN:
            self._run(content)
        elif kind == records.ENVIRONMENT:
            self._environment(content)
        elif kind == records.METRIC:
            self._metric(content)
        elif kind == records.ALERT:
            texts = records.text_members(content)
            title, text = _first(texts, 1), _first(texts, 2)
            meta = {"kind": "alert", "level": _first(texts, 3) or "INFO"}
            yield Note(id, f"{title}: {text}" if text else title, meta)
        elif kind == records.ARTIFACT:
            self._artifacts.append(content)
        elif kind == records.USE_ARTIFACT:
            name = _first(records.text_members(content), 3)
            self.leave_out(f"use of the artifact {name}", "only W&B's service knows its version")
        elif kind == records.LINK_ARTIFACT:
            # Older clients wrote it, online alone; newer ones refuse to link offline.
            name = _first(records.text_members(content), 3)
            self.leave_out(f"link of an artifact to {name}", "only W&B's service knows which version it was")
        elif kind == records.EXIT:
            self._exit(content)
        elif kind == records.PREEMPTING:
            self.head.facts["preempting"] = True

    # ---- records

    def _history(self, content: bytes, id: str, files: Path) -> Iterator[Item]:
        tree: dict[str, Any] = {}
        for path, text in records.items_of(content):
            put(tree, path, records.value_of(text))
        step = tree.get("_step")
        step = step if isinstance(step, int) else records.integer(records.member(content, 2), 1)
        stamp = tree.get("_timestamp")
        timestamp_ms = round(stamp * 1000) if isinstance(stamp, (int, float)) else self._start_ms
        yield from self._history_rows.items(tree, id, step, timestamp_ms, files)

    def _stats(self, content: bytes, id: str) -> Iterator[Item]:
        timestamp_ms = milliseconds(records.member(content, 2))
        # As the client's own metrics of the machine: the step is the age of the run in seconds.
        step = max(0, (timestamp_ms - self._start_ms) // 1000)
        for place, (path, text) in enumerate(records.items_of(content, 3)):
            value = records.value_of(text)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield Number(f"{id}-{place}", f"system/{'.'.join(path)}", step, timestamp_ms, value)
            else:
                self.leave_out(f"system/{'.'.join(path)}", "it is no number")

    def _output(self, content: bytes, is_line: bool) -> Iterator[Item]:
        stream = "stdout" if records.integer(content, 1) == 1 else "stderr"
        self._last_line_ms = milliseconds(records.member(content, 2)) or self._start_ms
        self._has_console = True
        text = _first(records.text_members(content), 3)
        if is_line and not text.endswith("\n"):
            text += "\n"
        for line in self._makers.setdefault(stream, LineMaker()).feed(text):
            yield Line(self._last_line_ms, stream, line.text)

    def _output_of(self, path: Path) -> Iterator[Item]:
        """Without records of the console its file has it, without times."""
        maker = LineMaker()
        try:
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                for text in file:
                    for line in maker.feed(text.replace("\r\n", "\n")):
                        yield Line(self._start_ms, "stdout", line.text)
        except OSError:
            return
        for line in maker.end():
            yield Line(self._start_ms, "stdout", line.text)

    def _change(self, tree: dict[str, Any], content: bytes) -> None:
        for path, text in records.items_of(content, 1):
            if path[0] != "_wandb":
                put(tree, path, records.value_of(text))
        for path, _ in records.items_of(content, 2):
            remove(tree, path)

    def _summarize(self, content: bytes) -> None:
        """Keeps values as JSON: each step has a summary, and only the last of each is needed."""
        for path, text in records.items_of(content, 1):
            if path[0] != "_wandb":
                put(self._summary, path, records.value_of(text) if text.startswith("{") else _Json(text))
        for path, _ in records.items_of(content, 2):
            remove(self._summary, path)

    def _run(self, content: bytes) -> None:
        head = self.head
        texts = records.text_members(content)
        self._change(head.config, records.member(content, 4))
        self._summarize(records.member(content, 5))
        head.group = _first(texts, 6) or head.group
        head.job_type = _first(texts, 7) or head.job_type
        head.name = _first(texts, 8) or head.name
        head.notes = _first(texts, 9) or head.notes
        head.tags = texts.get(10, head.tags)
        start_ms = milliseconds(records.member(content, 17))
        self._start_ms = self._start_ms or start_ms
        head.facts.update(
            {
                "startedAtMs": head.facts.get("startedAtMs", start_ms or None),
                "entity": _first(texts, 2) or None,
                "sweep": _first(texts, 12) or None,
                "version": _first(records.text_members(records.member(content, 19)), 5) or None,
            }
        )
        git = records.text_members(records.member(content, 21))
        self._origin({"remote": _first(git, 1), "commit": _first(git, 2)}, {"host": _first(texts, 13)})

    def _environment(self, content: bytes) -> None:
        texts = records.text_members(content)
        program, git = _first(texts, 6), records.text_members(records.member(content, 9))
        command = ["python", program, *texts.get(5, [])] if program else ""
        source = {
            "remote": _first(git, 1),
            "commit": _first(git, 2),
            "script": _first(texts, 7) or program,
            "command": command,
            "directory": _first(texts, 11),
        }
        environment = {
            "host": _first(texts, 12),
            "user": _first(texts, 13),
            "os": _first(texts, 1),
            "python": _first(texts, 2),
            "executable": _first(texts, 14),
            "cpus": _integer(content, 17),
            "gpus": texts.get(18, []),
            "gpuCount": _integer(content, 19),
            "cuda": _first(texts, 25),
            "memoryBytes": _integer(records.member(content, 21), 1),
        }
        self._origin(source, environment)

    def _origin(self, source: dict[str, Any], environment: dict[str, Any]) -> None:
        for key, new in (("_source", source), ("_environment", environment)):
            known = {name: value for name, value in new.items() if value}
            if known:
                self.head.origin.setdefault(key, {}).update(known)

    def _metric(self, content: bytes) -> None:
        texts = records.text_members(content)
        name = _first(texts, 2) or _first(texts, 1)
        options, summary = records.member(content, 6), records.member(content, 7)
        is_defined = bool(records.integer(options, 3)) and not records.integer(content, 10)
        if not is_defined and _first(texts, 1):
            # By a pattern, which has a record of its own.
            return
        said = {
            "stepMetric": _first(texts, 4) or None,
            "stepSync": bool(records.integer(options, 1)) or None,
            "hidden": bool(records.integer(options, 2)) or None,
            "summary": [word for number, word in _SUMMARIES.items() if records.integer(summary, number)],
            "goal": _GOALS.get(records.integer(content, 8)),
        }
        kept = {key: value for key, value in said.items() if value not in (None, [])}
        self.head.metrics[name] = merged(self.head.metrics, name, kept)

    def _exit(self, content: bytes) -> None:
        head = self.head
        code, runtime = records.integer(content, 1), records.integer(content, 2)
        self._has_end = True
        head.facts.update({"exitCode": code, "seconds": runtime or None})
        head.status = "error" if code else "done"
        head.error = f"the W&B run ended with exit code {code}" if code else ""


class _Json(str):
    """The text of a value."""


def _parsed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _parsed(each) for name, each in value.items()}
    if not isinstance(value, _Json):
        return value
    try:
        return records.value_of(value)
    except ValueError:
        return str(value)


def _first(texts: dict[int, list[str]], number: int) -> str:
    return texts.get(number, [""])[-1]


def _integer(content: bytes, number: int) -> int:
    return records.integer(content, number)


def run_head(path: Path) -> tuple[str, str]:
    """Returns the id and the project of the run in a file; empty texts: it does not say."""
    try:
        for each in records_of(path):
            if isinstance(each, Damage):
                continue
            kind, content = records.record_of(each.content)
            if kind == records.RUN:
                texts = records.text_members(content)
                return _first(texts, 1), _first(texts, 3)
    except (OSError, NotRecords, Malformed, IndexError):
        pass
    return "", ""

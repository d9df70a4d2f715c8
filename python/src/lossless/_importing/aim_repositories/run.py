"""One run of Aim, from the trees of its package."""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..._console.line_maker import last_state
from ..._media.media import Histogram, Media
from ..._values.config import jsonable
from ..source import Item, Line, Logged, Note, Number, SourceRun, StoredFile, Text
from ..stored_file import BytesMedia, is_inside

_NUMBERS = ("float", "float64", "int", "number")
_SYSTEM = "__system__"
_PARAMS = "__system_params"
_LEVELS = {10: "DEBUG", 20: "INFO", 30: "WARN", 40: "ERROR", 50: "ERROR"}


class AimRun(SourceRun):
    def __init__(self, repository: Any, run: Any, place: Path, is_running: bool) -> None:
        self._repository = repository
        self._run = run
        self._hash = str(run.hash)
        self._place = place
        self._is_running = is_running
        self.created = float(run.creation_time or 0)
        self.key = self._hash
        self.slug = f"{run.experiment or 'default'}/{self._hash}"
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        self._artifacts: dict[str, Any] = {}
        self._epochs = 0

    @property
    def place(self) -> str:
        return f"{self._hash} in {self._place}"

    @property
    def size(self) -> int:
        chunks = self._place / ".aim" / "seqs" / "chunks" / self._hash
        return sum(path.stat().st_size for path in chunks.glob("*.sst")) + 1

    def items(self) -> Iterator[Item]:
        self._reset()
        meta = self._tree("meta").subtree("chunks").subtree(self._hash).collect()
        self._describe(meta)
        contexts = meta.get("contexts") or {}
        used: set[str] = set()
        for context_id, traces in (meta.get("traces") or {}).items():
            context = contexts.get(context_id) or {}
            for name, about in traces.items():
                shown = _name(name, context)
                if shown in used:
                    shown = _in_full(name, context)
                used.add(shown)
                try:
                    yield from self._sequence(context_id, name, shown, about)
                except (KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
                    self.problems.append(f"damaged: {shown} of {self.place}: {type(error).__name__}: {error}")
        if self._epochs:
            self.leave_out("epochs of points", "a point has a step and a time", self._epochs)

    def files(self) -> Iterable[StoredFile]:
        found: list[StoredFile] = []
        for name, artifact in self._artifacts.items():
            url = urllib.parse.urlsplit(str(artifact.uri))
            path = Path(urllib.parse.unquote(url.path))
            if url.scheme not in ("", "file") or not path.is_file():
                self.leave_out(f"artifact {name}", f"it is not on this machine: {artifact.uri}")
            elif not is_inside(path, self._place):
                # A repository is somebody else's: no path in it leads out of its directory.
                self.leave_out(f"artifact {name}", f"it is not in {self._place}: {artifact.uri}")
            else:
                found.append(
                    StoredFile(path, name if path.suffix in ("", Path(name).suffix) else f"{name}{path.suffix}")
                )
        return found

    # ---- sequences

    def _tree(self, name: str) -> Any:
        # The chunk of the run: Aim's index has runs only after its server has met them.
        return self._repository.request_tree(name, self._hash, read_only=True).subtree(name)

    def _sequence(self, context_id: int, name: str, shown: str, about: Mapping[str, Any]) -> Iterator[Item]:
        root = self._tree("seqs")
        if about.get("version") == 2:
            root = root.subtree("v2")
        sequence = root.subtree("chunks").subtree(self._hash).subtree(context_id).subtree(name)
        columns = {str(key): dict(sequence.subtree(key).items()) for key in sequence.keys()}
        values, times, steps = columns.get("val", {}), columns.get("time", {}), columns.get("step")
        self._epochs += sum(1 for each in columns.get("epoch", {}).values() if each is not None)
        # Places of the second version are hashes of steps, those of the first the steps.
        ordered = sorted((steps.get(key, 0) if steps is not None else key, key) for key in values)
        kind = str(about.get("dtype"))
        own = hashlib.blake2s(f"{name}\0{context_id}".encode(), digest_size=8).hexdigest()
        for step, key in ordered:
            # Metrics of the machine have the age of the run as their step.
            if step % 1 and not name.startswith(_SYSTEM):
                self.leave_out(f"values of {shown} at steps with fractions", "a step is a whole number")
                continue
            at = times.get(key)
            timestamp_ms = round(at * 1000) if isinstance(at, (int, float)) else round(self.created * 1000)
            yield from self._value(f"{own}-{step}", kind, name, shown, int(step), timestamp_ms, values[key])

    def _value(
        self, id: str, kind: str, name: str, shown: str, step: int, timestamp_ms: int, value: Any
    ) -> Iterator[Item]:
        if kind in _NUMBERS:
            if name.startswith(_SYSTEM):
                # As the client's own metrics of the machine: the step is the age of the run.
                step = max(0, timestamp_ms // 1000 - int(self.created))
            yield Number(id, shown, step, timestamp_ms, value if isinstance(value, int) else float(value))
        elif kind == "aim.log_line":
            for text in str(value.data).removesuffix("\n").split("\n"):
                yield Line(timestamp_ms, "stdout", last_state(text))
        elif kind == "aim.log_record":
            record = value.json()
            level = _LEVELS.get(record.get("log_level"), "INFO")
            yield Note(id, str(record.get("message")), {"kind": "alert", "level": level, "timestampMs": timestamp_ms})
        else:
            some = value if isinstance(value, (list, tuple)) else [value]
            if some and all(type(each).__name__ == "Text" for each in some):
                for place, each in enumerate(some):
                    yield Text(f"{id}-{place}", shown, step, timestamp_ms, str(each.data))
                return
            media = [each for each in map(_medium, some) if each is not None]
            if len(media) < len(some):
                self.leave_out(f"{kind} of {shown}", "it has no counterpart", len(some) - len(media))
            if media:
                yield Logged(id, shown, step, timestamp_ms, media)

    # ---- the head

    def _describe(self, meta: Mapping[str, Any]) -> None:
        head, run = self.head, self._run
        head.name = run.name
        head.notes = str(run.description or "")
        head.tags = [str(each) for each in run.tags]
        attributes = dict(meta.get("attrs") or {})
        params = attributes.pop(_PARAMS, None) or {}
        head.config = {str(name): jsonable(value) for name, value in attributes.items()}
        self._artifacts = dict(meta.get("artifacts") or {})
        end = meta.get("end_time")
        if self._is_running and not end:
            head.status = "running"
        elif not end:
            head.status, head.error = "error", "the Aim run has no end: its process was killed"
        git = params.get("git_info") or {}
        source = {
            "command": ["python", *(str(each) for each in params.get("arguments") or [])],
            "remote": git.get("remote_origin_url"),
            "branch": git.get("branch"),
            "commit": (git.get("commit") or {}).get("hash"),
        }
        if params:
            head.origin["_source"] = {name: each for name, each in source.items() if each}
            self.leave_out("variables of the environment and packages", "they may have secrets")
        head.facts.update(
            {
                "startedAtMs": round(self.created * 1000) or None,
                "endedAtMs": round(end * 1000) if end else None,
                "experiment": run.experiment,
                "archived": True if run.archived else None,
            }
        )


def _name(name: str, context: Mapping[str, Any]) -> str:
    """Returns the name of a series. The context of Aim's own integrations is `subset` alone."""
    if name.startswith(_SYSTEM):
        name = f"system/{name.removeprefix(_SYSTEM)}"
    if list(context) == ["subset"]:
        return f"{context['subset']}/{name}"
    return _in_full(name, context) if context else name


def _in_full(name: str, context: Mapping[str, Any]) -> str:
    inner = ",".join(f"{key}={json.dumps(jsonable(context[key]))}" for key in sorted(context))
    return f"{name}{{{inner}}}".replace('"', "")


def _medium(value: Any) -> Media | None:
    kind = type(value).__name__
    if kind == "Image":
        end = f".{str(value.format or 'png').lower()}"
        return BytesMedia("image", bytes(value.storage["data"]), end, str(value.caption) or None)
    if kind == "Audio":
        content = value.get().getvalue()
        return BytesMedia("audio", content, f".{str(value.json().get('format') or 'wav').lower()}")
    if kind == "Distribution":
        return Histogram(np_histogram=([float(each) for each in value.weights], [float(each) for each in value.ranges]))
    if kind == "Figure":
        return BytesMedia("plotly", str(value.data).encode(), ".plotly.json")
    return None

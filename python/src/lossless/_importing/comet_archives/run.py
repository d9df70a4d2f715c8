"""One offline archive of Comet: its messages in the order of the run, and files beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..._console.line_maker import LineMaker
from ..._ground.errors import LosslessError
from ..._media.media import FILE_BYTES_MAX
from ..archive import Archive
from ..source import Item, Line, Logged, Number, SourceRun, StoredFile, Text
from ..stored_file import FileMedia, is_inside, kind_of_file
from ..tree import number_or_text

EXPERIMENT, MESSAGES = "experiment.json", "messages.json"
_SYSTEM = "sys."
# Messages that say nothing of the experiment, or what stands elsewhere.
_SILENT = frozenset({"close", "ws_message"})
# Comet logs its own counters as params.
_COUNTERS = frozenset({"curr_step", "curr_epoch"})
_OTHERS_OF_COMET = frozenset({"Name", "offline_experiment", "hasNestedParams", "Created from"})
_MEDIA = frozenset({"visualization", "image", "audio", "video"})
_WRONG_TOLD = 20


class CometRun(SourceRun):
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._reset()
        about = self._archive.mapping(EXPERIMENT)
        # An archive that cannot be read is told under the name of its file.
        self.key = str(about.get("offline_id") or archive.path.stem)
        project = str(about.get("project_name") or "general").strip("/")
        self.slug = f"{project}/{self.key}"

    def _reset(self) -> None:
        super()._reset()
        self._files: list[StoredFile] = []
        self._others: dict[str, Any] = {}
        self._makers: dict[str, LineMaker] = {}
        self._counts: Counter[str] = Counter()
        self._start_ms = 0
        self._epochs = 0

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
        about = self._archive.mapping(EXPERIMENT)
        if not about and not (root / MESSAGES).is_file():
            raise LosslessError(f"{self.place} has neither {EXPERIMENT} nor {MESSAGES}")
        self._describe(about)
        wrong = 0
        last_ms = self._start_ms
        if (root / MESSAGES).is_file():
            with open(root / MESSAGES, encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    try:
                        message = json.loads(line)
                        kind, payload = str(message["type"]), message["payload"]
                        last_ms = _time(payload, last_ms)
                        yield from self._item(kind, payload, f"{number}", last_ms, root)
                    except (ValueError, KeyError, TypeError, AttributeError) as error:
                        wrong += 1
                        if wrong <= _WRONG_TOLD:
                            cut = "" if line.endswith("\n") else ", the file ends within it"
                            self.problems.append(f"{MESSAGES}:{number}: no message of Comet: {error}{cut}")
        else:
            self.problems.append(f"damaged: {MESSAGES} is not in {self.place}")
        if wrong > _WRONG_TOLD:
            self.problems.append(f"{MESSAGES}: and {wrong - _WRONG_TOLD} more wrong lines")
        for stream, maker in self._makers.items():
            for rest in maker.end():
                yield Line(last_ms, stream, rest.text)
        if self._epochs:
            self.leave_out("epochs of points", "a point has a step and a time", self._epochs)
        for name, value in self._others.items():
            self.head.config[f"other/{name}"] = value

    def files(self) -> Iterable[StoredFile]:
        return self._files

    # ---- messages

    def _item(self, kind: str, payload: Mapping[str, Any], id: str, timestamp_ms: int, root: Path) -> Iterator[Item]:
        if kind == "metric_msg":
            yield from self._metric(payload, id, timestamp_ms)
        elif kind == "parameter_msg":
            self._param(payload["param"])
        elif kind == "log_other":
            self._other(str(payload["key"]), payload.get("value"))
        elif kind == "standard_output":
            stream = "stderr" if payload.get("stderr") else "stdout"
            text = str(payload.get("output") or "").replace("\r\n", "\n")
            for line in self._makers.setdefault(stream, LineMaker()).feed(text):
                yield Line(timestamp_ms, stream, line.text)
        elif kind == "file_upload":
            yield from self._upload(payload, id, timestamp_ms, root)
        elif kind == "system_details":
            self._system(payload)
        elif kind == "git_metadata":
            self._git(payload)
        elif kind == "file_name":
            self.head.origin.setdefault("_source", {})["script"] = payload.get("file_name")
        elif kind not in _SILENT:
            self.leave_out(f"messages {kind}", "they have no counterpart")

    def _metric(self, payload: Mapping[str, Any], id: str, timestamp_ms: int) -> Iterator[Item]:
        metric = payload["metric"]
        name, value, step = str(metric["metricName"]), number_or_text(metric["metricValue"]), metric.get("step")
        if name.startswith(_SYSTEM):
            # As the client's own metrics of the machine: the step is the age of the run in seconds.
            name = f"system/{name.removeprefix(_SYSTEM)}"
            step = max(0, (timestamp_ms - self._start_ms) // 1000)
        elif payload.get("context"):
            # Comet's pages and its interface have it as one name.
            name = f"{payload['context']}_{name}"
        if isinstance(value, str):
            value = _number(value)
        if not isinstance(value, (int, float)):
            raise ValueError(f"{name} is no number: {value!r:.80}")
        if metric.get("epoch") is not None and not name.startswith("system/"):
            self._epochs += 1
        whole = step if isinstance(step, int) else self._counts[name]
        self._counts[name] += 1
        yield Number(id, name, whole, timestamp_ms, value)

    def _param(self, param: Mapping[str, Any]) -> None:
        name = str(param["paramName"])
        if name not in _COUNTERS or param.get("source") != "auto-logged":
            self.head.config[name] = param.get("paramValue")

    def _other(self, key: str, value: Any) -> None:
        if key == "Name":
            self.head.name = str(value)
        elif key not in _OTHERS_OF_COMET:
            self._others[key] = value

    def _upload(self, payload: Mapping[str, Any], id: str, timestamp_ms: int, root: Path) -> Iterator[Item]:
        told = payload.get("additional_params") or {}
        kind = str(payload.get("upload_type") or told.get("type") or "asset")
        name = str(told.get("fileName") or told.get("figName") or told.get("name") or payload["file_path"])
        # Temporary files lie at the top of the archive, those of the user under their whole path.
        path = root / Path(str(payload["file_path"])).name
        if not path.is_file() or not is_inside(path, root):
            self.leave_out(f"{kind} {name}", "its file is not in the archive")
            return
        step = told.get("step")
        step = step if isinstance(step, int) and step >= 0 else 0
        if kind == "text-sample":
            yield Text(id, "text", step, timestamp_ms, path.read_text(encoding="utf-8", errors="replace"))
            return
        medium = kind_of_file(path, name) if kind in _MEDIA else None
        if medium is not None and path.stat().st_size <= FILE_BYTES_MAX:
            stem = name.removesuffix(medium[1])
            yield Logged(id, stem, step, timestamp_ms, [FileMedia(medium[0], path, medium[1])])
            return
        known = {each.name for each in self._files}
        if name in known or ".." in name.split("/"):
            name = f"{id}-{Path(name).name}"
        self._files.append(StoredFile(path, name.lstrip("/")))

    # ---- the head

    def _describe(self, about: Mapping[str, Any]) -> None:
        head = self.head
        head.tags = [str(each) for each in about.get("tags") or []]
        start = about.get("start_time")
        self._start_ms = round(start) if isinstance(start, (int, float)) else 0
        if about.get("customer_error_reported"):
            head.status = "error"
            head.error = str(about.get("customer_error_message") or "Comet says that the script failed")[:1000]
        head.facts.update(
            {
                "startedAtMs": self._start_ms or None,
                "endedAtMs": about.get("stop_time"),
                "workspace": about.get("workspace"),
                "project": about.get("project_name"),
            }
        )

    def _system(self, payload: Mapping[str, Any]) -> None:
        command = payload.get("command")
        environment = {
            "host": payload.get("hostname"),
            "user": payload.get("user"),
            "os": payload.get("os"),
            "python": payload.get("python_version"),
            "executable": payload.get("python_exe"),
        }
        self.head.origin["_environment"] = {name: each for name, each in environment.items() if each}
        if isinstance(command, list) and command:
            words = ["python", *(str(each) for each in command)]
            self.head.origin.setdefault("_source", {}).update({"command": words})

    def _git(self, payload: Mapping[str, Any]) -> None:
        git = payload.get("git_metadata") or payload
        source = {"remote": git.get("origin"), "commit": git.get("parent"), "branch": git.get("branch")}
        known = {name: each for name, each in source.items() if isinstance(each, str) and each}
        self.head.origin.setdefault("_source", {}).update(known)


def _time(payload: Mapping[str, Any], last_ms: int) -> int:
    stamp = payload.get("local_timestamp")
    return round(stamp) if isinstance(stamp, (int, float)) else last_ms


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

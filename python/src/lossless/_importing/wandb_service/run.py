"""One run of W&B's service."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..._artifacts.names import safe_name
from ..._console.line_maker import LineMaker
from ..kept_files import KeptFiles
from ..source import Item, Line, Number, SourceRun, StoredArtifact, StoredFile
from ..stored_file import is_inside
from ..tree import leaves, number_or_text
from ..wandb_runs.history import OWN, History
from . import queries
from .graphql import GraphQl, WandbRefused

# Steps of one page of the history: a row for each at most, so none is sampled away.
_STEPS = 1_000
_EVENTS = 100_000
_PER_PAGE = 100
# Artifacts that W&B makes itself of what is in the history.
_OF_WANDB = frozenset({"wandb-history", "wandb-events", "run_table"})


class WandbServiceRun(SourceRun):
    def __init__(self, graphql: GraphQl, entity: str, project: str, run_id: str, kept: KeptFiles, is_dry: bool) -> None:
        self.slug = f"{project}/{run_id}"
        self.key = f"{entity}/{project}/{run_id}"
        self._graphql = graphql
        self._where = {"entity": entity, "project": project}
        self._run_id = run_id
        self._kept = kept
        self._is_dry = is_dry
        # Addresses of its files are signed, so they are asked for anew with each reading.
        self._files: dict[str, str] = {}
        # A run that goes on is always read as it was at first: its content is counted, then sent.
        self._told: dict[str, Any] | None = None
        self._events_max: int | None = None
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        self._start_ms = 0

    @property
    def place(self) -> str:
        return f"W&B's run {self.key}"

    @property
    def size(self) -> int:
        return 1

    def items(self) -> Iterator[Item]:
        self._reset()
        if self._told is None:
            self._told = self._run(self._graphql.ask(queries.RUN, name=self._run_id, **self._where))
        told = self._told
        self._describe(told)
        self._files = {str(each["name"]): str(each["directUrl"]) for each in self._listed()}
        history = History(self.left_out)
        for row in self._history(told):
            self._fetch_media(row)
            stamp = row.get("_timestamp")
            timestamp_ms = round(stamp * 1000) if isinstance(stamp, (int, float)) else self._start_ms
            step = int(row.get("_step") or 0)
            yield from history.items(row, f"{step}", step, timestamp_ms, self._directory)
        yield from self._events()
        yield from self._console()
        yield from history.summary(_json(told.get("summaryMetrics")))

    def files(self) -> Iterable[StoredFile]:
        for name in sorted(self._files):
            if not is_inside(self._directory / name, self._directory):
                self.leave_out(f"file {name}", "its name leads out of the run")
                continue
            if not self._is_dry and not self._fetch(name):
                continue
            yield StoredFile(self._directory / name, name)

    def artifacts(self) -> Iterable[StoredArtifact]:
        path = ("project", "run", "outputArtifacts")
        try:
            nodes = list(
                self._graphql.pages(queries.ARTIFACTS, path, name=self._run_id, perPage=_PER_PAGE, **self._where)
            )
        except WandbRefused as error:
            self.problems.append(f"the artifacts of {self.place} cannot be read: {error}")
            return
        for node in nodes:
            kind = str((node.get("artifactType") or {}).get("name"))
            name = str((node.get("artifactSequence") or {}).get("name"))
            if kind in _OF_WANDB:
                continue
            version = f"v{node.get('versionIndex')}"
            try:
                files = self._files_of(name, version)
            except (WandbRefused, OSError) as error:
                # The next import brings it: there is no version with a part of the files.
                self.problems.append(f"the artifact {name}:{version} of {self.place} cannot be read: {error}")
                continue
            if not files:
                self.leave_out(f"artifact {name}:{version}", "it has no files of its own")
                continue
            more = {
                "description": node.get("description"),
                "metadata": _json(node.get("metadata")),
                "aliases": [each["alias"] for each in node.get("aliases") or []],
            }
            meta = {"type": kind, "wandbVersion": version, **{key: each for key, each in more.items() if each}}
            yield StoredArtifact(safe_name(name), meta, files)

    # ---- asking

    @property
    def _directory(self) -> Path:
        return self._kept.of(self.key)

    def _run(self, data: Mapping[str, Any]) -> dict[str, Any]:
        found = ((data.get("project") or {}).get("run")) or None
        if not isinstance(found, dict):
            raise WandbRefused(f"W&B's service has no run {self.key} that this key may read")
        return found

    def _listed(self) -> Iterator[dict[str, Any]]:
        path = ("project", "run", "files")
        return self._graphql.pages(queries.FILES, path, name=self._run_id, perPage=_PER_PAGE, **self._where)

    def _history(self, told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yields all rows, in pages by step."""
        last = (_json(told.get("historyKeys")) or {}).get("lastStep")
        first, seen, wanted = 0, 0, int(told.get("historyLineCount") or 0)
        end = int(last) + 1 if isinstance(last, (int, float)) else None
        while seen < wanted if end is None else first < end:
            data = self._graphql.ask(
                queries.HISTORY, run=self._run_id, minStep=first, maxStep=first + _STEPS, pageSize=_STEPS, **self._where
            )
            rows = self._run(data).get("history") or []
            for text in rows:
                try:
                    row = json.loads(text)
                    step = row.get("_step")
                except (ValueError, AttributeError):
                    self.problems.append(f"a row of {self.place} behind step {first} is no JSON object")
                    seen += 1
                    continue
                if self.head.status == "running" and (seen == wanted if end is None else (step or 0) >= end):
                    # It was added since the first reading.
                    continue
                seen += 1
                yield row
            first += _STEPS
            if end is None and not rows and first > 1_000 * _STEPS:
                break
        if seen < wanted:
            self.problems.append(f"{self.place} has {wanted:,} rows, and W&B's service gave {seen:,}")

    def _events(self) -> Iterator[Item]:
        data = self._graphql.ask(queries.EVENTS, name=self._run_id, samples=_EVENTS, **self._where)
        rows = self._run(data).get("events") or []
        if self._events_max is None:
            self._events_max = len(rows)
        rows = rows[: self._events_max]
        if len(rows) >= _EVENTS:
            reason = f"W&B's service gives {_EVENTS} of them, chosen by itself"
            self.leave_out("more metrics of the machine", reason)
        for text in rows:
            row = _json(text)
            stamp = row.get("_timestamp")
            if not isinstance(stamp, (int, float)):
                continue
            timestamp_ms = round(stamp * 1000)
            # As the client's own metrics of the machine: the step is the age of the run in seconds.
            step = max(0, (timestamp_ms - self._start_ms) // 1000)
            for name, inner, value in leaves({name: value for name, value in row.items() if name not in OWN}):
                value = number_or_text(value)
                own = f"system/{name.removeprefix('system.')}"
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield Number(f"system-{timestamp_ms}-{inner}", own, step, timestamp_ms, value)
                else:
                    self.leave_out(own, "it is no number")

    def _console(self) -> Iterator[Line]:
        if "output.log" not in self._files or not self._fetch("output.log"):
            return
        maker = LineMaker()
        with open(self._directory / "output.log", encoding="utf-8", errors="replace", newline="") as file:
            for text in file:
                for line in maker.feed(text.replace("\r\n", "\n")):
                    yield Line(self._start_ms, "stdout", line.text)
        # The last line of a run that goes on may be a part of it.
        for line in maker.end() if self.head.status != "running" else []:
            yield Line(self._start_ms, "stdout", line.text)

    # ---- files

    def _fetch_media(self, row: Mapping[str, Any]) -> None:
        for _, _, value in leaves(row):
            if isinstance(value, dict):
                for name in _names_in(value):
                    if name in self._files:
                        self._fetch(name)

    def _fetch(self, name: str) -> bool:
        """Downloads a file, unless it is here."""
        path = self._directory / name
        if not is_inside(path, self._directory):
            return False
        if not path.is_file():
            try:
                self._graphql.save(self._files[name], path)
            except (WandbRefused, OSError) as error:
                self.problems.append(f"the file {name} of {self.place} cannot be read: {error}")
                return False
        return True

    def _files_of(self, name: str, version: str) -> list[StoredFile]:
        path = ("project", "artifactCollection", "artifactMembership", "files")
        found: list[StoredFile] = []
        directory = self._directory / ".artifacts" / f"{safe_name(name)}-{version}"
        for node in self._graphql.pages(
            queries.ARTIFACT_FILES, path, collection=name, alias=version, perPage=_PER_PAGE, **self._where
        ):
            local = directory / str(node["name"])
            if not is_inside(local, directory):
                self.leave_out(f"file {node['name']} of {name}", "its name leads out of the artifact")
                continue
            if not self._is_dry and not local.is_file():
                self._graphql.save(str(node["directUrl"]), local)
            found.append(StoredFile(local, str(node["name"])))
        return found

    # ---- the head

    def _describe(self, told: Mapping[str, Any]) -> None:
        head = self.head
        config = _json(told.get("config"))
        head.config = {
            name: each.get("value") if isinstance(each, dict) and "value" in each else each
            for name, each in config.items()
            if name not in ("_wandb", "wandb_version")
        }
        head.name = told.get("displayName")
        head.notes = str(told.get("notes") or told.get("description") or "")
        head.group = told.get("group") or None
        head.job_type = told.get("jobType") or None
        head.tags = [str(each) for each in told.get("tags") or []]
        self._start_ms = _milliseconds(told.get("createdAt")) or 0
        state = str(told.get("state") or "")
        if state == "running":
            head.status = "running"
        elif state and state != "finished":
            head.status, head.error = "error", f"W&B says that the run is {state}"
        head.facts.update(
            {
                "entity": self._where["entity"],
                "startedAtMs": self._start_ms or None,
                "endedAtMs": _milliseconds(told.get("heartbeatAt")) if state != "running" else None,
                "sweep": told.get("sweepName"),
                "user": (told.get("user") or {}).get("username"),
            }
        )
        if told.get("commit"):
            head.origin["_source"] = {"commit": told["commit"]}


def _names_in(value: Mapping[str, Any]) -> Iterator[str]:
    """Yields names of files in the description of media."""
    for name, each in value.items():
        if name == "path" and isinstance(each, str):
            yield each
        elif name == "filenames" and isinstance(each, list):
            yield from (str(one) for one in each)
        elif isinstance(each, list):
            for one in each:
                if isinstance(one, dict):
                    yield from _names_in(one)


def _json(text: Any) -> dict[str, Any]:
    if isinstance(text, dict):
        return text
    try:
        found = json.loads(text) if text else {}
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _milliseconds(text: Any) -> int | None:
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return round(moment.timestamp() * 1000)

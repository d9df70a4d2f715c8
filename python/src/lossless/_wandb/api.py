"""`wandb.Api()`: the data of Reader, under W&B's names."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._ground.address import experiment_page
from .._ground.counterparts import instead_of
from .._ground.errors import EventRefused, LosslessError, SeriesNotFound
from .._ground.settings import settings_of
from .._ground.unsupported import Unsupported
from .._ground.warning import warn
from .._reading.stored_summary import OF_MACHINE, StoredSummary
from .._values.metric_definitions import KEY as METRICS_KEY
from .._values.metric_names import metric_name
from .._values.nonfinite import nonfinite_notes
from .._values.origin import ENVIRONMENT, SOURCE, without_origin

if TYPE_CHECKING:
    from .._artifacts.calls import ArtifactCalls
    from .._artifacts.used_artifact import UsedArtifact
    from .._reading.reader import FiledExperiment

_STATES = {"done": "finished", "error": "failed", "running": "running", "created": "pending"}
_RESERVED = ("_name", "_tags", "_group", "_job_type", METRICS_KEY)
# Columns of every row of a history.
_OF_ROWS = ("_step", "_timestamp")
# Versions listed at most: each is a request.
_VERSIONS_MAX = 1_000
_LOST_MESSAGE = "the recording process ended without finish()"
_COMPARISONS: dict[str, Any] = {
    "$eq": lambda own, other: own == other,
    "$ne": lambda own, other: own != other,
    "$gt": lambda own, other: own is not None and own > other,
    "$gte": lambda own, other: own is not None and own >= other,
    "$lt": lambda own, other: own is not None and own < other,
    "$lte": lambda own, other: own is not None and own <= other,
    "$in": lambda own, other: any(each in other for each in _each(own)),
    "$nin": lambda own, other: not any(each in other for each in _each(own)),
    "$exists": lambda own, other: (own is not None) == bool(other),
    "$regex": lambda own, other: isinstance(own, str) and re.search(other, own) is not None,
}


class Api:
    """Uses the address and key of `Reader`, not W&B's. Raises what Reader raises."""

    def __init__(self, overrides: Mapping[str, Any] | None = None, *_args: Any, **_others: Any) -> None:
        from .._reading.reader import Reader

        self._reader = Reader()
        self._project: str | None = (overrides or {}).get("project")

    default_entity = ""

    def runs(
        self,
        path: str | None = None,
        filters: Mapping[str, Any] | None = None,
        order: str = "+created_at",
        *_args: Any,
        **_others: Any,
    ) -> Runs:
        """Returns the runs of a project, `entity/project` or `project`; without one all runs."""
        found = [ApiRun(self._reader, each) for each in _in_project(self._reader.filed(), path or self._project)]
        found = [each for each in found if _fits(each, filters or {})]
        name, descending = order.lstrip("+-"), order.startswith("-")
        return Runs(sorted(found, key=lambda each: _sortable(_named(each, name), descending), reverse=descending))

    def run(self, path: str) -> ApiRun:
        """
        Returns the run named `project/id`, with or without an entity before it, or by its slug.
        """
        slug = path.strip("/")
        for each in dict.fromkeys((slug, slug.partition("/")[2])):
            try:
                if each:
                    return ApiRun(self._reader, self._reader.experiment(each))
            except EventRefused as error:
                if error.code != "experiment_not_found":
                    raise
        raise LosslessError(f"there is no run {path!r}")

    def artifact(self, name: str, type: Any = None) -> UsedArtifact:
        return _artifact(name, self._project or "")

    def artifacts(self, type_name: Any = None, name: str = "", *_args: Any, **_others: Any) -> list[UsedArtifact]:
        """Returns the newest 1,000 versions of an artifact, latest first; each is a request."""
        path = str(_artifact(name, self._project or "").id).rpartition(":")[0]
        listed = self._reader.artifact(path, limit=_VERSIONS_MAX + 1)["versions"]
        return _versions(self._reader, [(path, str(each["version"])) for each in listed])

    artifact_versions = artifacts

    def flush(self) -> None:
        """Does nothing: each call reads anew."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Unsupported(f"Api.{name}", hint=instead_of("api"))


class Runs(Sequence[Any]):
    def __init__(self, runs: list[ApiRun]) -> None:
        self._runs = runs

    def __getitem__(self, place: Any) -> Any:
        return self._runs[place]

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"<lossless: {len(self)} runs>"


class Summary(dict[str, Any]):
    """A dict with W&B's attribute for itself. Changes stay in this process."""

    @property
    def _json_dict(self) -> dict[str, Any]:
        return dict(self)

    def update(self, *args: Any, **values: Any) -> None:
        warn(
            "Api.run.summary",
            "changes of the summary of a run of Api() are not recorded; init(id=…, resume='must') continues a run",
        )
        super().update(*args, **values)


class ApiRun:
    """The stored data of an experiment; `history` and `summary` read it when used."""

    def __init__(self, reader: Any, record: Mapping[str, Any]) -> None:
        self._reader = reader
        # The records of a list are incomplete.
        self._record = record if "meta" in record else reader.experiment(record["slug"])
        meta = self._record["meta"]
        self.slug = str(record["slug"])
        self.project, _, self.id = self.slug.rpartition("/")
        self.entity = ""
        self.path = self.slug.split("/")
        self.name = self.display_name = str(meta.get("_name") or self.id)
        self.config = {name: value for name, value in without_origin(meta).items() if name not in _RESERVED}
        self.tags = list(meta.get("_tags") or [])
        self.group, self.job_type = meta.get("_group"), meta.get("_job_type")
        self.notes = self.description = self._record["description"]
        self._summary: Summary | None = None

    @property
    def state(self) -> str:
        status = str(self._record["status"])
        # The record of a resumed run keeps an earlier error.
        is_lost = status == "error" and self._record.get("error") == _LOST_MESSAGE
        return "crashed" if is_lost else _STATES.get(status, status)

    @property
    def commit(self) -> str | None:
        commit: str | None = self._record["meta"].get(SOURCE, {}).get("commit")
        return commit

    @property
    def metadata(self) -> dict[str, Any]:
        """Source and environment, those of W&B under its names."""
        source = self._record["meta"].get(SOURCE, {})
        environment = self._record["meta"].get(ENVIRONMENT, {})
        git = {"remote": source.get("remote"), "commit": source.get("commit"), "branch": source.get("branch")}
        named = {
            "host": environment.get("host"),
            "username": environment.get("user"),
            "os": environment.get("os"),
            "python": environment.get("python"),
            "executable": environment.get("executable"),
            "cpu_count": environment.get("cpus"),
            "gpu": next(iter(environment.get("gpus", ())), None),
            "gpu_count": environment.get("gpuCount"),
            "cuda": environment.get("cuda"),
            "slurm": environment.get("slurm"),
            "program": source.get("script"),
            "command": source.get("command"),
            "git": {name: value for name, value in git.items() if value is not None} or None,
            "startedAt": self.created_at,
        }
        kept = {"source": source, "environment": environment}
        return {**{name: value for name, value in named.items() if value is not None}, **kept}

    @property
    def created_at(self) -> str:
        import datetime

        time = datetime.datetime.fromtimestamp(self._record["createdAtMs"] / 1000, datetime.timezone.utc)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def url(self) -> str:
        return experiment_page(settings_of().url, self.slug)

    @property
    def summary(self) -> Summary:
        """The run's own summary, and the last value of every other metric; NaN if it was NaN."""
        if self._summary is None:
            stored = StoredSummary()
            for chunk in self._reader.iter_series(self.slug):
                stored.take_chunk(chunk)
            stored.take_notes(self._reader.annotations(self.slug))
            self._summary = Summary(stored.shown(self._record["meta"]))
        return self._summary

    summary_metrics = summary

    def wait_until_finished(self) -> None:
        """Waits until the run has ended, with or without an error."""
        self._reader.wait(self.slug, "status != running")
        self._record = self._reader.experiment(self.slug)

    @property
    def lastHistoryStep(self) -> int:
        return max((int(row["_step"]) for row in self.scan_history()), default=-1)

    def logged_artifacts(self, *_args: Any, **_others: Any) -> list[UsedArtifact]:
        """Returns the last 1,000 versions that it saved, earliest first; each is a request."""
        return self._artifacts("artifact")

    def used_artifacts(self, *_args: Any, **_others: Any) -> list[UsedArtifact]:
        """Returns the versions that it requested by `use_artifact`."""
        return self._artifacts("artifact-used")

    def use_artifact(self, artifact: UsedArtifact, use_as: str | None = None) -> UsedArtifact:
        """Records that the run used a version, once; also of a run that has ended."""
        path, _, version = str(artifact.id).rpartition(":")
        self._reader.record_use(self._record["experimentId"], path, version, use_as or "")
        return artifact

    def _artifacts(self, kind: str) -> list[UsedArtifact]:
        notes = [each["meta"] for each in self._reader.annotations(self.slug)]
        # The newest note is the first.
        named = [(str(note["artifact"]), str(note["version"])) for note in notes if note.get("kind") == kind]
        return _versions(self._reader, list(dict.fromkeys(named)))[::-1]

    def scan_history(
        self, keys: Sequence[str] | None = None, min_step: int = 0, max_step: int | None = None, **_others: Any
    ) -> Iterator[dict[str, Any]]:
        """
        Yields every step as a row, without metrics of the machine, which count seconds; with `keys`
        only rows that have all of them, as in W&B. Values of several ranks or recordings at one
        step are separate rows, with their meta. A metric with the name of a common column is
        `metric._step`, and meta with the name of another column is `meta.loss`.
        """
        return self._rows(keys, min_step, max_step, is_of_machine=False)

    def history(
        self,
        samples: int = 500,
        keys: Sequence[str] | None = None,
        x_axis: str = "_step",
        pandas: bool = True,
        stream: str = "default",
        **_others: Any,
    ) -> Any:
        """
        Returns all rows, where W&B would sample: a DataFrame, or dicts where there is no pandas.
        `stream="system"`: the metrics of the machine.
        """
        wanted = keys if keys is None else list(dict.fromkeys((x_axis, *keys)))
        rows = list(self._rows(wanted, 0, None, is_of_machine=stream in ("system", "events")))
        if pandas:
            try:
                return import_module("pandas").DataFrame.from_records(rows)
            except ImportError:
                warn("history", "history() returns dicts, because pandas is not installed")
        return rows

    def _rows(
        self, keys: Sequence[str] | None, min_step: int, max_step: int | None, is_of_machine: bool
    ) -> Iterator[dict[str, Any]]:
        rows: dict[tuple[int, tuple[tuple[str, str], ...]], _Row] = {}
        names = None if keys is None else [key for key in keys if key not in _OF_ROWS]
        names = names and [name.removeprefix("metric.") if _is_apart(name) else name for name in names]
        try:
            for chunk in self._reader.iter_series(self.slug, names):
                if names is None and chunk.name.startswith(OF_MACHINE) != is_of_machine:
                    continue
                key = tuple(sorted(_meta_of_row(chunk.name, chunk.metadata).items()))
                for step, time, value in zip(chunk.step, chunk.timestamp_ms, chunk.value):
                    rows.setdefault((_step(step), key), _Row(step, time)).values[chunk.name] = (time, value)
        except SeriesNotFound:
            # They may still have non-finite values.
            pass
        for note in nonfinite_notes(self._reader.annotations(self.slug)):
            is_wanted = note.name.startswith(OF_MACHINE) == is_of_machine if names is None else note.name in names
            if is_wanted:
                key = tuple(sorted(_meta_of_row(note.name, note.metadata).items()))
                row = rows.setdefault((note.step, key), _Row(note.step, note.timestamp_ms))
                own = (note.timestamp_ms, note.value)
                row.values[note.name] = max(own, row.values.get(note.name, own), key=_time)
        metrics = {name for row in rows.values() for name in row.values}
        for place in sorted(rows):
            if place[0] >= min_step and (max_step is None or place[0] < max_step):
                columns = rows[place].columns(dict(place[1]), metrics)
                if keys is None:
                    yield columns
                elif all(key in columns for key in keys):
                    yield {key: columns[key] for key in keys}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Unsupported(f"Api.run.{name}", hint=instead_of("api"))

    def __repr__(self) -> str:
        return f"<lossless: run {self.slug} ({self.state})>"


def _artifact(name: str, project: str = "") -> UsedArtifact:
    from .._artifacts.names import found
    from .._artifacts.used_artifact import UsedArtifact

    calls = _calls()
    return UsedArtifact(calls, found(calls, name, project), [name.rpartition(":")[2] if ":" in name else "latest"])


def _versions(reader: Any, named: list[tuple[str, str]]) -> list[UsedArtifact]:
    from .._artifacts.used_artifact import used_versions

    if len(named) > _VERSIONS_MAX:
        warn("Api versions", f"of more than {_VERSIONS_MAX} versions only the newest {_VERSIONS_MAX} are listed")
    return used_versions(_calls(), reader, named[:_VERSIONS_MAX])


def _calls() -> ArtifactCalls:
    from .._artifacts.calls import ArtifactCalls
    from .._service.client import Client

    return ArtifactCalls(Client(settings_of(None, None)))


@dataclasses.dataclass
class _Row:
    """One step of a history: for each metric the time of its value, and the value."""

    step: int | None
    timestamp_ms: int
    values: dict[str, tuple[int, float]] = dataclasses.field(default_factory=dict)

    def columns(self, meta: Mapping[str, str], metrics: set[str]) -> dict[str, Any]:
        """Returns the columns; one whose name is taken has the name that queries use."""
        return {
            **{f"meta.{key}" if key in metrics or key in _OF_ROWS else key: value for key, value in meta.items()},
            "_step": self.step,
            "_timestamp": self.timestamp_ms / 1000,
            **{f"metric.{name}" if name in _OF_ROWS else name: value for name, (_, value) in self.values.items()},
        }


def _is_apart(name: str) -> bool:
    return name.startswith("metric.") and name.removeprefix("metric.") in _OF_ROWS


def _meta_of_row(name: str, metadata: Mapping[str, str]) -> Mapping[str, str]:
    """
    Returns the meta that distinguishes rows, as ranks do, without the original of a renamed metric.
    """
    tag = metadata.get("tag")
    if tag is None or metric_name(tag) != (name, {"tag": tag}):
        return metadata
    return {key: value for key, value in metadata.items() if key != "tag"}


def _step(step: int | None) -> int:
    return -1 if step is None else int(step)


def _time(pair: tuple[int, float]) -> int:
    return pair[0]


def _in_project(experiments: list[FiledExperiment], path: str | None) -> list[FiledExperiment]:
    """
    Returns the experiments of a project, whose name may have a slash; if none matches the whole
    path, it begins with an entity.
    """
    if not path:
        return experiments
    for project in (path.strip("/"), path.strip("/").partition("/")[2]):
        found = [each for each in experiments if project and each["slug"].startswith(f"{project}/")]
        if found:
            return found
    return []


def _fits(run: ApiRun, filters: Mapping[str, Any]) -> bool:
    """
    Whether W&B's filters match. Raises LosslessError for unknown ones, which would match
    everything.
    """
    for name, wanted in filters.items():
        if name in ("$and", "$or", "$nor"):
            found = [_fits(run, each) for each in wanted]
            is_fit = all(found) if name == "$and" else any(found) == (name == "$or")
        elif name == "$not":
            is_fit = not _fits(run, wanted)
        elif name.startswith("$"):
            raise LosslessError(f"the filter {name} is not supported: filter the list of all runs yourself")
        else:
            is_fit = _compared(_named(run, name), wanted)
        if not is_fit:
            return False
    return True


def _compared(own: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return wanted in _each(own)
    for name, other in wanted.items():
        compare = _COMPARISONS.get(name)
        if compare is None:
            raise LosslessError(f"the filter {name} is not supported: filter the list of all runs yourself")
        try:
            if not compare(own, other):
                return False
        except TypeError:
            # A text is neither above nor below a number.
            return False
    return True


def _named(run: ApiRun, name: str) -> Any:
    """Returns the value of `config.lr`, `config.lr.value`, `summary_metrics.loss`, `state`, …"""
    first, _, rest = name.partition(".")
    if first in ("config", "summary_metrics", "summary"):
        of = run.config if first == "config" else run.summary
        if rest in of:
            return of[rest]
        found: Any = of
        for part in rest.removesuffix(".value").split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found
    names = {
        "createdAt": "created_at",
        "displayName": "display_name",
        "jobType": "job_type",
        "heartbeat_at": "created_at",
    }
    # W&B calls the id of a run its name here.
    if first == "name":
        return [run.id, run.name]
    known = names.get(first, first)
    if known not in (
        "created_at",
        "display_name",
        "job_type",
        "group",
        "state",
        "tags",
        "notes",
        "description",
        "id",
        "username",
    ):
        raise LosslessError(f"{name} cannot select runs")
    return None if known == "username" else getattr(run, known)


def _each(own: Any) -> Any:
    return own if isinstance(own, (list, tuple)) else [own]


def _sortable(value: Any, descending: bool) -> tuple[int, Any]:
    """Key for sorting: numbers, texts, infinities, NaN, then missing ones, in both directions."""
    if value is None:
        rank, value = 4, 0
    elif not isinstance(value, (int, float)):
        rank, value = 1, str(value)
    elif value != value:
        rank, value = 3, 0
    else:
        rank = 2 if value in (math.inf, -math.inf) else 0
    return (-rank if descending else rank), value

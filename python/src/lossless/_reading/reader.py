"""Reads experiments, catalogs, annotations and series."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .._ground.endpoints import read_difference, read_overview, remove_alias
from .._ground.errors import EventRefused, IncompleteStream, LosslessError, SeriesNotFound, SettingsError
from .._ground.settings import settings_of
from .._ground.warning import warn
from .._ground.wire_numbers import EXPORT_EXPERIMENTS_MAX, FILTER_PREDICATES_MAX, SERIES_NAMES_MAX
from .._service.client import FIRST_SECONDS, RETRY_SECONDS, Client
from .._service.retry import is_transient
from .._service.service import succeeded
from .._values.values import meta_text
from .aliases import ANY, alias_changes, alias_set, listed_aliases
from .artifacts import found_artifact, found_sent_bytes, listed_artifacts
from .column_chunk import ColumnChunk
from .lineage import run_lineage, use_recorded, version_lineage
from .near_names import meant, near_names
from .runs import found_experiments, frame_of
from .series import NO_STEP, Chunk, Partition, Series, as_lists, checked, collected

if TYPE_CHECKING:
    from ..wire import (
        AliasChange,
        Annotation,
        ArtifactReply,
        AttributesResultData,
        CatalogResultData,
        DifferenceBody,
        DifferenceReply,
        ExperimentNode,
        ExperimentRecord,
        FolderNode,
        FolderTree,
        ListedArtifact,
        OverviewReply,
        RecordedUse,
        RunLineage,
        SentBytesReply,
        SetAliasReply,
        TrashEntry,
        VersionAlias,
        VersionLineage,
    )
    from .curve import Curve
    from .difference import Difference
    from .exports import ExportOf
    from .groups import Group
    from .logged import Logged
    from .overview import Overview
    from .runs import FoundExperiment
    from .waiting import Waited

    class FiledExperiment(ExperimentNode):
        # Names of its folders, from the root.
        folder: list[str]


__all__ = ["NO_STEP", "Chunk", "Partition", "Reader", "Series"]


class Reader:
    """
    Reads what an organization has recorded. An experiment is named by its slug or its id. Calls are
    retried for `retry_seconds`, by default a minute, or two seconds while connections are refused
    and none ever succeeded; after 5 seconds stderr says why. May be used from several threads.

    Raises SettingsError, RequestRefused, EventRefused (code `experiment_not_found`),
    SeriesNotFound, ConnectionFailed.
    """

    def __init__(
        self, url: str | None = None, api_key: str | None = None, *, retry_seconds: float | None = None
    ) -> None:
        settings = settings_of(url, api_key)
        if retry_seconds is None:
            self._client = Client(settings, RETRY_SECONDS, first_seconds=FIRST_SECONDS, tells=True)
        else:
            self._client = Client(settings, retry_seconds, tells=True)

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def tree(self) -> FolderTree:
        """
        Returns the folders with their folders and experiments, and the experiments that are in
        none.
        """
        return cast("FolderTree", self._single("foldertree.read", {}))

    def experiments(
        self,
        query: str = "",
        *,
        columns: Sequence[str] | None = None,
        sort: str | Sequence[str] | None = None,
        limit: int | None = None,
        view: str | None = None,
    ) -> list[FoundExperiment]:
        """
        Returns experiments found by a query, such as "metric.val/loss.min < 3.28 and not slug ~
        *test*", each with `columns`: values by field ("meta.lr", "metric.val/loss.min",
        "duration"). Fields of `sort` apply in order; a leading - means descending; by default the
        newest come first. `view` is the name of a saved view: its experiments, restricted by the
        query, with its columns and order unless given.
        """
        return list(found_experiments(self._asked, query, columns, sort, limit, view))

    def frame(
        self, name: str, query: str | Sequence[str] = "", where: Mapping[str, Any] | None = None, x: str = "step"
    ) -> Any:
        """
        Returns one metric of many experiments as one DataFrame: that of Series.to_pandas with
        `slug` as first column. The experiments are found by a query, or given as a list of slugs;
        those without the metric are left out, and if none has it, a warning suggests similar names.
        Raises LosslessError where pandas is not installed.
        """
        slugs = [each["slug"] for each in self.experiments(query)] if isinstance(query, str) else query
        return frame_of(self, slugs, name, where, x)

    def difference(
        self, experiments: str | Sequence[str], *, others: str | None = None, equal: bool = False, hidden: bool = False
    ) -> Difference:
        """
        Compares up to 100 experiments, given by slugs or ids, or the newest that a query finds:
        keys of their metas, and summaries of their metrics. `others` is a query: tests that
        distinguish the compared experiments from the rest of its results ("" is all). `equal`
        includes equal keys, `hidden` those that begin with an underscore, and tags that MLflow's
        clients write by themselves.
        """
        from .difference import difference_of

        body: DifferenceBody = {"equalKeys": equal, "hiddenKeys": hidden}
        if isinstance(experiments, str):
            body["query"] = experiments
        else:
            body["experimentIds"] = [self._id(each) for each in experiments]
        if others is not None:
            body["query"] = others
            body["apart"] = True
        method, path = read_difference()
        return difference_of(cast("DifferenceReply", self._asked(method, path, body)))

    def groups(self, query: str, by: str | Sequence[str], *, columns: Sequence[str] = ()) -> list[Group]:
        """
        Groups all experiments that a query finds ("" is all) by the values of one field or of
        several, such as "meta.optimizer.name"; the largest group comes first. Each has its number
        of experiments, and of each of `columns` ("metric.val/loss.min") the count, mean, min and
        max.
        """
        from .groups import found_groups

        fields = [by] if isinstance(by, str) else by
        return list(found_groups(self._asked, query, fields, columns))

    def filed(self, folder: str | Sequence[str] | None = None) -> list[FiledExperiment]:
        """
        Returns all experiments, or those in a folder ("team/vision") and below it, each with
        `folder`, the names of its folders from the root. Empty when there is no such folder.
        """
        path = [part for part in folder.split("/") if part] if isinstance(folder, str) else list(folder or [])
        found: list[FiledExperiment] = []

        def walk(node: FolderTree | FolderNode, names: list[str]) -> None:
            if names[: len(path)] == path:
                found.extend({**experiment, "folder": names} for experiment in node["experiments"])
            for child in node["folders"]:
                walk(child, [*names, child["name"]])

        walk(self.tree(), [])
        return found

    def experiment(self, slug: str) -> ExperimentRecord:
        """Returns the record of an experiment: status, description, meta, times."""
        return cast("ExperimentRecord", self._client.retried(lambda: self._record(slug)))

    def wait(self, slug: str, until: str = "done", *, timeout: float | None = None) -> Waited:
        """
        Waits until a condition holds for a run: "done", "silent", or tests of the query language,
        in which a name that is no field is that of a metric: "val/loss < 3.3" tests its last value,
        "val/loss.min < 3.3" the least. Also returns when the run has ended without it, or after
        `timeout` seconds: the result is true only if the condition holds. Once the service has
        answered, an outage is waited out. Raises RequestRefused (`bad_request`) for a condition
        that cannot be read.
        """
        from .waiting import waited_for

        return waited_for(self._client, self._id(slug), until, timeout)

    def catalog(self, slug: str) -> dict[str, dict[str, list[str]]]:
        """Returns every series by name, with the values of its metadata keys."""
        reply = self._single("query.catalog", {"experimentId": self._id(slug)})
        return {each["seriesName"]: each["metadata"] for each in cast("CatalogResultData", reply)["series"]}

    def annotations(self, slug: str) -> list[Annotation]:
        """Returns the annotations, newest first; warns when there are more than 100,000."""
        reply = self._single("query.annotations", {"experimentId": self._id(slug)})
        if reply.get("truncated"):
            warn(f"annotations {slug}", f"{slug} has more annotations than the service lists: the oldest are missing")
        return list(reply["annotations"])

    def attributes(self, slug: str) -> AttributesResultData:
        """
        Returns name, params, tags, data sets and models, as MLflow's clients log and see them.
        """
        return cast("AttributesResultData", self._single("query.attributes", {"experimentId": self._id(slug)}))

    def series(self, slug: str, name: str, where: Mapping[str, Any] | None = None, x: str = "step") -> Series:
        """
        Returns a whole series, sorted by `x` within each partition ("step" or "timestamp"). `where`
        selects partitions with these values, written as by `log` (True is "true"); a value of None
        requires the key only. Empty when no partition matches, or the experiment has no points at
        all. Raises SeriesNotFound when it has other series only.

        A broken stream is read again from the start, so nothing is duplicated or missing.
        """
        return self._collected(slug, [name], where, x)[name]

    def curve(self, slug: str, name: str, where: Mapping[str, Any] | None = None) -> Curve:
        """Returns a series against the metric of `define_metric(step_metric=…)`, or its steps."""
        from .curve import curve_of

        return curve_of(self, slug, name, where)

    def overview(
        self,
        slug: str,
        names: str | Sequence[str],
        where: Mapping[str, Any] | None = None,
        x: str = "step",
        *,
        x_series: str | None = None,
        log_x: bool = False,
        start: float | None = None,
        end: float | None = None,
        columns: int = 1_000,
        smooth: float | None = None,
        gauss: float | None = None,
        smooth_x: float | None = None,
    ) -> Overview:
        """
        Returns series for a chart of this many columns of pixels: each column has the first, last,
        least, largest and mean value of all its points; a line with at most four points a column is
        not reduced. The points next to the range are included. `x` is "step", "offset", "elapsed"
        or "timestamp"; with `x_series` it is the value of that series at the same step.
        `smooth_x` smooths by distance on the axis, so that lines of different density are smoothed
        alike: it is the weight of a point a thousandth of the axis back. `smooth` is the weight of
        an exponential moving average by points, `gauss` the deviation of a Gaussian in points. All
        use all points, whatever the range. Raises SeriesNotFound.
        """
        from .overview import overview_of

        chosen = [names] if isinstance(names, str) else list(names)
        smoothings = [
            *([] if smooth is None else [{"kind": "ema", "weight": smooth}]),
            *([] if smooth_x is None else [{"kind": "x", "weight": smooth_x}]),
            *([] if gauss is None else [{"kind": "gauss", "points": gauss}]),
        ]
        if len(smoothings) > 1:
            raise SettingsError("give one of smooth, smooth_x and gauss")
        experiment_id = self._id(slug)
        predicates = _predicates(where)
        body = {
            "series": [{"experimentId": experiment_id, "seriesName": name, "filter": predicates} for name in chosen],
            "xAxis": x if x_series is None else "metric",
            "xScale": "log" if log_x else "linear",
            "columns": columns,
            **({} if x_series is None else {"xSeriesName": x_series}),
            **({} if start is None else {"start": start}),
            **({} if end is None else {"end": end}),
            **({"smooth": smoothings[0]} if smoothings else {}),
        }
        overview = overview_of(cast("OverviewReply", self._client.call(*read_overview(), body).json()))
        self._check_names(slug, experiment_id, set(chosen).difference(line.name for line in overview.lines))
        return overview

    @property
    def logged(self) -> Logged:
        """Media, texts and histograms over steps."""
        from .logged import Logged

        return Logged(self._asked, lambda method, path: self._client.call(method, path).body, self._id)

    def artifacts(
        self, under: str = "", *, search: str = "", newest: bool = False, limit: int | None = None
    ) -> list[ListedArtifact]:
        """
        Returns artifacts whose path begins with `under`, by path or with the newest commit first:
        their numbers of versions and bytes, the latest version, and its location. `search` is
        contained in the path, or a pattern of the whole path with `*`.
        """
        return list(listed_artifacts(self._asked, under, search, newest, limit))

    def artifact(self, artifact: str, *, limit: int | None = None) -> ArtifactReply:
        """
        Returns one artifact: its epoch, the newest `limit` versions (by default all) with their
        metas and the experiments that wrote them, aliases, pending uploads, and notes. Raises
        RequestRefused with the code `not_found`.
        """
        return found_artifact(self._asked, artifact, limit)

    def lineage(self, slug: str) -> RunLineage:
        """Returns what a run used and made: versions of artifacts, data sets and models."""
        return run_lineage(self._asked, self.experiment(slug)["experimentId"])

    def version_lineage(self, artifact: str, version: str = "latest") -> VersionLineage:
        """
        Returns which run made a version (its name, `latest` or `@best`), which used it, and which
        registered models have it. A deleted version is found by its name.
        """
        return version_lineage(self._asked, artifact, version)

    def record_use(self, experiment_id: str, artifact: str, version: str, role: str = "") -> RecordedUse:
        """Records that a run used a version, once for each role; also of a run that has ended."""
        return use_recorded(self._asked, experiment_id, artifact, version, role)

    def aliases(self, artifact: str) -> list[VersionAlias]:
        """
        Returns the aliases of an artifact's versions by name. An alias stays when its version is
        deleted; `state` (`present`, `trashed`, `deleted`) says so.
        """
        return listed_aliases(self._asked, artifact)

    def set_alias(self, artifact: str, alias: str, version: str, *, expected: str | None = ANY) -> SetAliasReply:
        """
        Sets or moves an alias to a version: its name, `latest`, or another alias as `@best`, as it
        points now. With `expected` only if it points to this version, or with None to none: else
        RequestRefused with the code `conflict` is raised. Without the version: `not_found`.
        """
        return alias_set(self._asked, artifact, alias, version, expected)

    def remove_alias(self, artifact: str, alias: str, *, expected: str | None = None) -> None:
        """Removes an alias, with `expected` only from this version; the version stays."""
        self._client.call(*remove_alias(artifact=artifact, alias=alias, expected=expected))

    def alias_history(self, artifact: str, alias: str | None = None) -> list[AliasChange]:
        """Returns what the aliases of an artifact, or one, pointed to, the newest change first."""
        return list(alias_changes(self._asked, artifact, alias))

    def sent_bytes(self, artifact: str, upload: str) -> SentBytesReply:
        """
        Returns how much of a pending upload (one of the `uploads` of `artifact`) has arrived,
        judged by its largest files. Raises RequestRefused with the code `not_found` when it has
        ended.
        """
        return found_sent_bytes(self._asked, artifact, upload)

    def all_series(
        self,
        slug: str,
        names: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        x: str = "step",
    ) -> dict[str, Series]:
        """Returns whole series by name, 24 bytes of memory a point; without `names` all of them."""
        return self._collected(slug, [names] if isinstance(names, str) else names, where, x)

    def iter_series(
        self,
        slug: str,
        names: str | Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        x: str = "step",
    ) -> Iterator[Chunk]:
        """
        Yields the points in chunks of at most 10,000, in bounded memory. The loop ends normally
        only when the stream was complete; otherwise it raises (IncompleteStream, EventRefused,
        ConnectionFailed), and the chunks received must be dropped.
        """
        wanted = [names] if isinstance(names, str) else names
        selection = _selection(wanted, where, x)
        return self._named_chunks(slug, wanted or (), selection)

    def export(
        self,
        path: str | os.PathLike[str],
        of: ExportOf = "points",
        *,
        query: str = "",
        slugs: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        """
        Writes a Parquet file of the experiments found by a query, or of up to 250 given by slugs or
        ids: "points" (of the series `names`, by default all), "experiments" with the keys of their
        metas as columns, "annotations", "lineage" (what they used and made), or the "lines" of
        their consoles. The file is written completely or not at all, and replaces an existing one.
        In bounded memory, whatever its size.
        """
        from .exports import export_path, write_export

        if slugs is not None and query:
            raise SettingsError("give slugs or a query, not both")
        chosen = {"query": query} if query else {}
        if slugs is not None:
            if len(slugs) > EXPORT_EXPERIMENTS_MAX:
                raise SettingsError(f"at most {EXPORT_EXPERIMENTS_MAX} experiments can be named; a query finds more")
            chosen = {"experimentIds": ",".join(self._id(slug) for slug in slugs)}
        address = export_path(of, chosen, names)
        write = lambda: write_export(self._client.new_service, address, os.fspath(path))  # noqa: E731
        self._client.retried(write, _may_read_again)

    def delete(self, slugs: str | Sequence[str]) -> list[TrashEntry]:
        """
        Moves experiments, given by slugs or ids, to the trash, where they can be restored until the
        day in each entry. Recordings into them are refused. Repeating it changes nothing. Raises
        EventRefused (`experiment_not_found`) before anything is moved.
        """
        from .trash import trashed

        return trashed(self._asked, [self._id(slug) for slug in ([slugs] if isinstance(slugs, str) else slugs)])

    def restore(self, slugs: str | Sequence[str]) -> list[TrashEntry]:
        """
        Restores experiments from the trash, with all content, to their folders. Raises
        SettingsError, before any is restored, for those that are not there.
        """
        from .trash import restored

        return restored(self._asked, [slugs] if isinstance(slugs, str) else slugs)

    def delete_series(self, slug: str, names: str | Sequence[str]) -> list[TrashEntry]:
        """
        Moves series of an experiment to the trash, each with all its points. Recordings into them
        are refused (`series_deleted`) until they are restored or purged. Repeating it changes
        nothing. Raises RequestRefused (`not_found`), before anything is moved, for a series that
        does not exist.
        """
        from .trash import trashed_series

        return trashed_series(self._asked, self._id(slug), [names] if isinstance(names, str) else names)

    def restore_series(self, slug: str, names: str | Sequence[str]) -> list[TrashEntry]:
        """
        Restores series of an experiment from the trash. Raises SettingsError, before any is
        restored, for those that are not there.
        """
        from .trash import restored_series

        return restored_series(self._asked, self._id(slug), [names] if isinstance(names, str) else names)

    def _collected(
        self, slug: str, names: Sequence[str] | None, where: Mapping[str, Any] | None, x: str
    ) -> dict[str, Series]:
        selection = _selection(names, where, x)
        experiment_id = self._id(slug)
        furthest = 0

        def counted() -> Iterator[Chunk | ColumnChunk]:
            nonlocal furthest
            points = 0
            for chunk in self._chunks(experiment_id, selection):
                points += chunk.points
                furthest = max(furthest, points)
                yield chunk

        found = self._client.retried(lambda: collected(counted(), names or ()), _may_read_again, lambda: furthest)
        self._check_names(slug, experiment_id, [name for name in names or () if not found[name].partitions])
        return found

    def _chunks(self, experiment_id: str, selection: Mapping[str, Any]) -> Iterator[Chunk | ColumnChunk]:
        # With a connection of its own: other calls may come while the stream is read.
        service = self._client.new_service()
        service.asks_for_columns = self._client.asks_for_columns
        records = service.stream("query.experimentseries", {"experimentId": experiment_id, **selection})
        try:
            yield from checked(records, experiment_id)
        finally:
            if not service.asks_for_columns:
                self._client.asks_for_columns = False
            records.close()
            service.close()

    def _named_chunks(self, slug: str, names: Sequence[str], selection: Mapping[str, Any]) -> Iterator[Chunk]:
        experiment_id = self._id(slug)
        missing = set(names)
        for chunk in map(as_lists, self._chunks(experiment_id, selection)):
            missing.discard(chunk.name)
            yield chunk
        self._check_names(slug, experiment_id, missing)

    def _check_names(self, slug: str, experiment_id: str, missing: Iterable[str]) -> None:
        """
        Raises SeriesNotFound for names without a series. No points came of these names, but an
        existing series may just lack the requested partitions.
        """
        if not missing:
            return
        reply = self._single("query.catalog", {"experimentId": experiment_id})
        known = [series["seriesName"] for series in cast("CatalogResultData", reply)["series"]]
        for name in sorted(set(missing).difference(known) if known else ()):
            near = near_names(name, known)
            raise SeriesNotFound(f"{slug} has no series {name!r}{meant(near)}; it has {len(known)}", name, near)

    def _record(self, slug: str) -> Mapping[str, Any]:
        by_slug, by_id = self._client.events(
            ("query.experiment", {"experimentSlug": slug}), ("query.experiment", {"experimentId": slug})
        )
        is_slug = not (isinstance(by_slug, EventRefused) and by_slug.code == "experiment_not_found")
        chosen = by_slug if is_slug or isinstance(by_id, EventRefused) else by_id
        if isinstance(chosen, EventRefused):
            near = self._near_slugs(slug) if chosen.code == "experiment_not_found" else ""
            chosen.args = (f"{chosen} ({slug!r}{near})",)
        return succeeded(chosen)

    def _near_slugs(self, slug: str) -> str:
        try:
            tree = cast("FolderTree", succeeded(self._client.events(("foldertree.read", {}))[0]))
        except LosslessError:
            # Only for a suggestion: the error is raised without it too.
            return ""
        return meant(near_names(slug, [experiment["slug"] for experiment in _all_in(tree)]))

    def _id(self, slug: str) -> str:
        return str(self.experiment(slug)["experimentId"])

    def _asked(self, method: str, path: str, body: Any) -> Any:
        return self._client.call(method, path, body).json()

    def _single(self, event: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._client.retried(lambda: succeeded(self._client.events((event, data))[0]))


def _all_in(node: FolderTree | FolderNode) -> Iterator[ExperimentNode]:
    yield from node["experiments"]
    for folder in node["folders"]:
        yield from _all_in(folder)


def _may_read_again(error: LosslessError) -> bool:
    return is_transient(error) or isinstance(error, IncompleteStream)


def _selection(names: Sequence[str] | None, where: Mapping[str, Any] | None, x: str) -> dict[str, Any]:
    if x not in ("step", "timestamp"):
        raise SettingsError(f"x must be step or timestamp, not {x!r}")
    if names is not None and len(names) > SERIES_NAMES_MAX:
        raise SettingsError(f"at most {SERIES_NAMES_MAX} series can be read at once")
    chosen = {} if names is None else {"seriesNames": list(names)}
    return {**chosen, "filter": _predicates(where), "xAxis": x}


def _predicates(where: Mapping[str, Any] | None) -> list[dict[str, str]]:
    if where is not None and len(where) > FILTER_PREDICATES_MAX:
        raise SettingsError(f"where has more than {FILTER_PREDICATES_MAX} keys")
    return [
        {"metadataKey": str(key), **({} if value is None else {"metadataValue": meta_text(value)})}
        for key, value in (where or {}).items()
    ]

"""The stored content of an imported run, read back over the interface of the service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._ground.endpoints import list_versions, read_console, read_new_annotations
from .._ground.errors import RequestRefused
from .._reading.series import checked_chunks
from .._service.service import Service
from .._values.nonfinite import number_in
from .._values.records import encode
from .series_sums import SeriesSums
from .survey import SeriesKey

NOT_FOUND = 404


class StoredNotes:
    """Annotations of the experiment, by the ids that an import has put into their metas."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        # Values that are not finite.
        self.series: list[tuple[SeriesKey, int, int, float]] = []
        # Whether the service returned all of them.
        self.is_whole = True

    def read(self, service: Service, experiment_id: str) -> None:
        # Without the bins of histograms, which would be too large together.
        reply = service.call(*read_new_annotations(experimentId=experiment_id)).json()
        self.is_whole = not reply["truncated"]
        self.series = []
        for note in reply["annotations"]:
            meta = note["meta"]
            if "imported" not in meta:
                continue
            self.ids.add(str(meta["imported"]))
            if meta.get("kind") == "nonfinite":
                key = (str(meta["metricName"]), encode(dict(meta.get("pointMeta", {}))))
                self.series.append((key, meta["step"], meta["timestampMs"], float(number_in(meta["value"]))))


def stored_series(service: Service, experiment_id: str, notes: StoredNotes) -> dict[SeriesKey, SeriesSums]:
    """Returns the sums of everything that the store has, of other programs too."""
    found: dict[SeriesKey, SeriesSums] = {}
    records = service.stream("query.experimentseries", {"experimentId": experiment_id, "filter": [], "xAxis": "step"})
    try:
        for chunk in checked_chunks(records, experiment_id):
            sums = found.setdefault((chunk.name, encode(dict(chunk.metadata))), SeriesSums())
            for step, timestamp_ms, value in zip(chunk.step, chunk.timestamp_ms, chunk.value):
                sums.add(-1 if step is None else step, timestamp_ms, float(value))
    finally:
        records.close()
    for key, step, timestamp_ms, value in notes.series:
        found.setdefault(key, SeriesSums()).add(step, timestamp_ms, value)
    return found


def stored_lines(service: Service, experiment_id: str) -> dict[str, int]:
    """Returns the number of lines of each source of the console."""
    reply = service.call(*read_console(), {"experimentId": experiment_id, "limit": 1}).json()
    return {str(each["id"]): int(each["lines"]) for each in reply["sources"]}


def stored_versions(service: Service, artifact: str) -> Iterator[Mapping[str, Any]]:
    """Yields the versions of an artifact, page by page; none if it does not exist."""
    after: str | None = None
    while True:
        try:
            page = service.call(*list_versions(artifact=artifact, after=after)).json()
        except RequestRefused as error:
            if error.status == NOT_FOUND:
                return
            raise
        yield from page["versions"]
        after = page["next"]
        if after is None:
            return

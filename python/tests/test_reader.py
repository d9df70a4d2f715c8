"""Reading back through the real service, and through one that breaks streams."""

from __future__ import annotations

import array
import http.server
import io
import json
import math
import os
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
import unittest
import urllib.request
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service import KEY, Service, WithService

import lossless
from lossless._reading.difference import MISSING
from lossless._reading.overview import Columns, ExactPoints, Neighbour
from lossless._reading.runs import found_experiments
from lossless._reading.series import NO_STEP, checked, checked_chunks, collected
from lossless._service.column_records import column_records

MEBI = 2**20


class Points:
    """Writes points by the interface, without the client."""

    def __init__(self, service: Service, slug: str) -> None:
        self._service = service
        opened = service.query("experiment.open", slug=slug, description="", meta={"lr": 0.1})
        self.id = opened["experimentId"]
        self._token = opened["experimentToken"]
        self._count = 0

    def write(self, name: str, rows: list[tuple[int, int, float]], meta: dict[str, str] | None = None) -> None:
        for start in range(0, len(rows), 1_000):
            events = []
            for step, time_ms, value in rows[start : start + 1_000]:
                self._count += 1
                data = {"experimentId": self.id, "timestampMs": time_ms, "step": step, "metricName": name}
                data.update({"metricValue": value, "meta": meta or {}})
                events.append({"messageId": f"m-{self._count}", "event": "svc.v2.experiment.metric", "data": data})
            headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
            address = f"{self._service.url}/api/v2/experiments/{self.id}/events"
            request = urllib.request.Request(address, json.dumps(events).encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as reply:
                replies = json.loads(reply.read())
            assert all(each["event"] == "svc.v2.metricRecorded" for each in replies), replies[0]


class Reading(WithService):
    reader: lossless.Reader

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.reader = lossless.Reader(cls.service.url, cls.service.key)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.reader.close()
        super().tearDownClass()

    def test_what_mlflows_clients_wrote_is_read_beside_the_experiment(self) -> None:
        points = Points(self.service, "attributes")
        native = self.reader.attributes("attributes")
        self.assertEqual(("attributes", None), (native["name"], native["run"]))
        self.assertEqual([{"key": "lr", "value": "0.1"}], native["params"])
        tag = {"run_id": points.id, "key": "mlflow.runName", "value": "bold-otter"}
        headers = {"Authorization": f"Bearer {self.service.key}", "Content-Type": "application/json"}
        address = f"{self.service.url}/api/2.0/mlflow/runs/set-tag"
        with urllib.request.urlopen(urllib.request.Request(address, json.dumps(tag).encode(), headers), timeout=30):
            pass
        named = self.reader.attributes("attributes")
        self.assertEqual("bold-otter", named["name"])
        self.assertIsNotNone(named["run"])

    def test_what_is_deleted_comes_back_whole(self) -> None:
        for slug in ("gone/one", "gone/two"):
            Points(self.service, slug).write("loss", [(0, 1, 0.5)])
        entries = self.reader.delete(["gone/one", "gone/two"])
        self.assertEqual({"gone/one": 1, "gone/two": 1}, {each["name"]: each["points"] for each in entries})
        with self.assertRaises(lossless.EventRefused):
            self.reader.experiment("gone/one")
        with self.assertRaises(lossless.SettingsError):
            self.reader.restore(["gone/one", "never"])
        self.assertEqual(["gone/one"], [each["name"] for each in self.reader.restore("gone/one")])
        self.assertEqual(0.5, self.reader.series("gone/one", "loss").value[0])
        with self.assertRaises(lossless.EventRefused):
            self.reader.delete(["gone/one", "gone/two"])
        self.assertEqual("running", self.reader.experiment("gone/one")["status"])

    def test_a_deleted_series_comes_back_and_takes_no_points_meanwhile(self) -> None:
        points = Points(self.service, "series/gone")
        points.write("loss", [(0, 1, 0.5)])
        points.write("acc", [(0, 1, 0.25)])
        [entry] = self.reader.delete_series("series/gone", "loss")
        self.assertEqual(("series/gone", "loss"), (entry["name"], entry["series"]))
        self.assertEqual(["acc"], sorted(self.reader.catalog("series/gone")))
        with self.assertRaises(lossless.RequestRefused):
            self.reader.delete_series("series/gone", ["acc", "never"])
        with self.assertRaises(lossless.SettingsError):
            self.reader.restore_series("series/gone", ["loss", "acc"])
        self.reader.restore_series("series/gone", ["loss"])
        self.assertEqual(0.5, self.reader.series("series/gone", "loss").value[0])

    def test_a_file_of_points_is_whole_and_replaces_another(self) -> None:
        Points(self.service, "file/one").write("loss", [(0, 1, 0.5)])
        path = Path(self.service.directory) / "points.parquet"
        path.write_text("another")
        self.reader.export(path, slugs=["file/one"], names=["loss"])
        content = path.read_bytes()
        self.assertEqual((b"PAR1", b"PAR1"), (content[:4], content[-4:]))
        self.assertIn(b"file/one", content)
        for of in ("experiments", "annotations", "lines"):
            self.reader.export(path, of, query="slug = file/one")
            self.assertEqual(b"PAR1", path.read_bytes()[-4:])
        with self.assertRaises(lossless.RequestRefused):
            self.reader.export(path, query="slug =")
        with self.assertRaises(lossless.SettingsError):
            self.reader.export(path, "experiments", names=["loss"])
        self.assertEqual(["points.parquet"], [each.name for each in path.parent.glob("points.parquet*")])

    def test_a_series_with_partitions_comes_as_columns(self) -> None:
        points = Points(self.service, "team/columns")
        first = [(step, 9_000 - step, 1 / (step + 1)) for step in range(2_500)]
        second = [(step, step, 5e-324 * step) for step in range(30)]
        points.write("loss", first, {"rank": "0"})
        points.write("loss", second, {"rank": "1", "split": "x"})
        points.write("count", [(7, 2**53 - 1, 2**53)])
        series = self.reader.series("team/columns", "loss")
        self.assertEqual(2_530, len(series))
        by_rank = {partition.metadata["rank"]: partition for partition in series.partitions}
        self.assertEqual([row[0] for row in first], list(by_rank["0"].step))
        self.assertEqual([row[2] for row in first], list(by_rank["0"].value))
        self.assertEqual([row[2] for row in second], list(by_rank["1"].value))
        self.assertEqual(2_530, len(series.value))
        only = self.reader.series(points.id, "loss", where={"rank": "1", "split": None}, x="timestamp")
        self.assertEqual([row[2] for row in second], list(only.value))
        reversed_by_time = self.reader.series("team/columns", "loss", where={"rank": "0"}, x="timestamp")
        self.assertEqual([row[2] for row in first][::-1], list(reversed_by_time.value))
        everything = self.reader.all_series("team/columns")
        self.assertEqual({"count": 1, "loss": 2_530}, {name: len(each) for name, each in everything.items()})
        self.assertEqual(
            [7, 2**53 - 1, 2.0**53],
            [int(everything["count"].step[0]), int(everything["count"].timestamp_ms[0]), everything["count"].value[0]],
        )
        nothing = self.reader.all_series("team/columns", ["count", "loss"], where={"rank": "7"})
        self.assertEqual(0, len(nothing["count"]))
        self.assertEqual(0, len(nothing["count"].step))
        catalog = self.reader.catalog("team/columns")
        self.assertEqual({"count": {}, "loss": {"rank": ["0", "1"], "split": ["x"]}}, catalog)

    def test_an_overview_has_what_a_chart_needs(self) -> None:
        points = Points(self.service, "team/overview")
        rows = [(step, 1_000 + step, float((step * 7) % 101)) for step in range(2_000)]
        points.write("loss", rows, {"rank": "0"})
        points.write("loss", rows[:3], {"rank": "1"})
        points.write("tokens", [(step, 0, -1.5 * step) for step in range(3)], {"rank": "1"})
        overview = self.reader.overview("team/overview", "loss", columns=10, smooth=0.5)
        self.assertEqual((0, 2_000, 10), (overview.start, overview.end, overview.columns))
        dense, sparse = overview.lines
        self.assertEqual(({"rank": "0"}, 2_000, 0), (dense.metadata, dense.points, dense.unplaced))
        assert isinstance(dense.drawn, Columns) and isinstance(sparse.drawn, ExactPoints)
        self.assertEqual([200 * column for column in range(10)], list(dense.drawn.x))
        self.assertEqual(list(range(10)), list(dense.drawn.column))
        in_column = [[row[2] for row in rows[start : start + 200]] for start in range(0, 2_000, 200)]
        self.assertEqual([values[0] for values in in_column], list(dense.drawn.first))
        self.assertEqual([values[-1] for values in in_column], list(dense.drawn.last))
        self.assertEqual([min(values) for values in in_column], list(dense.drawn.min))
        self.assertEqual([max(values) for values in in_column], list(dense.drawn.max))
        for mean, values in zip(dense.drawn.mean, in_column):
            self.assertAlmostEqual(sum(values) / len(values), mean, places=9)
        assert isinstance(sparse.smoothed, ExactPoints)
        self.assertEqual([row[2] for row in rows[:3]], list(sparse.drawn.value))
        self.assertAlmostEqual((0.5 * 7 + 0.25 * 0) / 0.75, sparse.smoothed.value[1], places=12)
        by_x = self.reader.overview("team/overview", "loss", {"rank": "1"}, smooth_x=0.9)
        assert isinstance(by_x.lines[0].smoothed, ExactPoints)
        # A thousandth of the axis, from step 0 to 2, is the unit.
        weight = 0.9**500
        self.assertAlmostEqual(
            (rows[1][2] + weight * rows[0][2]) / (1 + weight), by_x.lines[0].smoothed.value[1], places=12
        )
        along = self.reader.overview("team/overview", ["loss"], {"rank": 1}, x_series="tokens", gauss=3.0)
        assert isinstance(along.lines[0].drawn, ExactPoints)
        self.assertEqual([-3.0, -1.5, 0.0], list(along.lines[0].drawn.x))
        late = self.reader.overview("team/overview", "loss", {"rank": "0"}, log_x=True, start=1_990, columns=5)
        self.assertEqual(10, late.lines[0].points)
        self.assertEqual((Neighbour(1_989, rows[1_989][2]), None), (late.lines[0].before, late.lines[0].after))
        self.assertIsNone(late.lines[0].smoothed_before)
        between = self.reader.overview("team/overview", "loss", {"rank": "1"}, start=0.3, end=0.7, smooth=0.5)
        passing = between.lines[0]
        self.assertEqual((0, None, None), (passing.points, passing.drawn, passing.smoothed))
        self.assertEqual((Neighbour(0, 0), Neighbour(1, 7)), (passing.before, passing.after))
        assert passing.smoothed_before is not None and passing.smoothed_after is not None
        self.assertEqual((0, 0), (passing.smoothed_before.x, passing.smoothed_before.value))
        self.assertAlmostEqual((0.5 * 7) / 0.75, passing.smoothed_after.value, places=12)
        with self.assertRaises(lossless.SeriesNotFound):
            self.reader.overview("team/overview", "los")
        with self.assertRaises(lossless.SettingsError):
            self.reader.overview("team/overview", "loss", smooth=0.9, gauss=3)
        with self.assertRaises(lossless.SettingsError):
            self.reader.overview("team/overview", "loss", smooth=0.9, smooth_x=0.9)

    def test_a_query_finds_experiments_and_one_metric_of_them(self) -> None:
        for number in range(3):
            points = Points(self.service, f"found-{number}")
            points.write("found/loss", [(0, 1, float(number)), (1, 2, number / 2)])
        Points(self.service, "found-none")
        query = "slug ~ found-* and metric.found/loss"
        # Metrics and metas are indexed apart.
        while len(self.reader.experiments(f"{query} and meta.lr")) < 3:
            time.sleep(0.05)
        columns = ["metric.found/loss.max", "meta.lr", "meta.none"]
        found = self.reader.experiments(query, columns=columns, sort=["-metric.found/loss", "slug"])
        self.assertEqual(["found-2", "found-1", "found-0"], [each["slug"] for each in found])
        self.assertEqual({columns[0]: 2.0, columns[1]: 0.1, columns[2]: None}, found[0]["columns"])
        self.assertEqual(["found-0"], [each["slug"] for each in self.reader.experiments(query, sort="slug", limit=1)])
        with self.assertRaisesRegex(lossless.RequestRefused, "did you mean meta.lr"):
            self.reader.experiments("lr > 1")
        try:
            frame = self.reader.frame("found/loss", "slug ~ found-*")
        except lossless.LosslessError as error:
            self.assertRegex(str(error), "needs pandas")
            return
        self.assertEqual(["slug", "step", "timestamp_ms", "value"], list(frame.columns))
        self.assertEqual(6, len(frame))
        self.assertEqual([0.0, 0.0], list(self.reader.frame("found/loss", ["found-0", "found-none"])["value"]))
        with self.assertWarnsRegex(RuntimeWarning, "no experiment has 'found/los': is 'found/loss' meant"):
            self.assertEqual(0, len(self.reader.frame("found/los", ["found-0"])))

    def test_what_differs_between_experiments(self) -> None:
        metas: list[dict[str, Any]] = [{"seed": 2**53 + 1, "a": None, "same": [1]}, {"seed": 2**53, "same": [1]}]
        for number, meta in enumerate(metas):
            self.service.query("experiment.open", slug=f"differs-{number}", description="", meta=meta)
        slugs = ["differs-0", "differs-1"]
        found = self.reader.difference(slugs)
        self.assertEqual(slugs, found.slugs)
        self.assertEqual({"meta.seed": [2**53 + 1, 2**53], "meta.a": [None, MISSING]}, found.keys)
        self.assertEqual([[1], [1]], self.reader.difference(slugs, equal=True).keys["meta.same"])
        self.assertEqual(1, found.reply["equalKeys"])
        Points(self.service, "differs-2").write("differs/loss", [(0, 1, 3.0), (1, 2, 1.0)])
        query = "slug ~ differs-* and metric.differs/loss and meta.lr"
        while not self.reader.experiments(query):
            time.sleep(0.05)
        summaries = self.reader.difference(query).metrics["differs/loss"]
        self.assertEqual([(1.0, 1)], [(each["min"], each["minStep"]) for each in summaries if each])
        apart = self.reader.difference(["differs-2"], others="slug ~ differs-*").apart
        self.assertEqual(("meta.lr = 0.1", 1, 0), (apart[0]["test"], apart[0]["named"], apart[0]["others"]))
        with self.assertRaisesRegex(lossless.RequestRefused, "`apart` needs"):
            self.reader.difference("slug ~ differs-*", others="")

    def test_groups_of_all_that_is_found(self) -> None:
        for number, meta in enumerate([{"lr": 0.1}, {"lr": 0.1, "layers": [2]}, {"lr": "0.1"}, {}]):
            slug = f"grouped-{number}"
            Points(self.service, slug).write("loss", [(0, 1, float(number))])
            self.service.query("experiment.open", slug=slug, description="", meta=meta)
        query = "slug ~ grouped-* and metric.loss"
        while [each.experiments for each in self.reader.groups(query, "meta.lr")] != [2, 1, 1]:
            time.sleep(0.05)
        groups = self.reader.groups(query, "meta.lr", columns=["metric.loss"])
        self.assertEqual(({"meta.lr": 0.1}, 2), (groups[0].values, groups[0].experiments))
        self.assertEqual({"count": 2, "mean": 0.5, "min": 0.0, "max": 1.0}, groups[0].columns["metric.loss"])
        self.assertEqual({"0.1", MISSING}, {each.values["meta.lr"] for each in groups[1:]})
        [both] = [each for each in self.reader.groups(query, ["meta.lr", "meta.layers"]) if each.values["meta.layers"]]
        self.assertEqual({"meta.lr": 0.1, "meta.layers": [2]}, both.values)
        with self.assertRaisesRegex(lossless.RequestRefused, r"by\[0\]: points has as many values"):
            self.reader.groups("", "points")

    def test_a_saved_view_is_run_with_what_is_given_besides(self) -> None:
        table = {
            "query": "slug ~ run",
            "folderId": "f1",
            "sort": [{"field": "meta.lr", "descending": True}],
            "columns": ["meta.lr"],
        }
        facts = {"name": "best", "id": "1", "address": "/experiments"}
        views = [{**facts, "table": table}, {**facts, "table": {**table, "query": "other"}}, {**facts, "table": None}]
        bodies: list[Any] = []

        def ask(method: str, path: str, body: Any) -> Any:
            if path == "/api/views/v1/saved":
                return {"views": views}
            bodies.append(dict(body))
            return {"rows": [{"slug": "run-1", "values": [0.1]}]}

        [found] = found_experiments(ask, "", None, None, None, "best")
        self.assertEqual({"meta.lr": 0.1}, found["columns"])
        list(found_experiments(ask, "status = done", ["slug"], "-created", 5, "best"))
        limits = [each.pop("limit") for each in bodies]
        self.assertEqual([1_000, 5], limits)
        self.assertEqual({**table}, bodies[0])
        wanted = {"query": "(slug ~ run) and (status = done)", "folderId": "f1", "columns": ["slug"]}
        self.assertEqual({**wanted, "sort": [{"field": "created", "descending": True}]}, bodies[1])
        with self.assertRaisesRegex(lossless.LosslessError, "no saved view 'none' of the table; the views are: best"):
            list(found_experiments(ask, "", None, None, None, "none"))

    def test_experiments_annotations_and_the_tree(self) -> None:
        outer = self.service.query("folder.create", name="lab", parentFolderId=None)["folderId"]
        inner = self.service.query("folder.create", name="vision", parentFolderId=outer)["folderId"]
        Points(self.service, "placed")
        Points(self.service, "loose")
        self.service.query("experiment.move", experimentSlug="placed", folderId=inner)
        self.assertIn("lab", [folder["name"] for folder in self.reader.tree()["folders"]])
        found = {each["slug"]: each["folder"] for each in self.reader.filed()}
        self.assertEqual(["lab", "vision"], found["placed"])
        self.assertEqual([], found["loose"])
        self.assertEqual(["placed"], [each["slug"] for each in self.reader.filed("lab")])
        self.assertEqual(["placed"], [each["slug"] for each in self.reader.filed(["lab", "vision"])])
        self.assertEqual([], self.reader.filed("vision"))
        self.assertEqual({"lr": 0.1}, self.reader.experiment("placed")["meta"])
        self.assertEqual([], self.reader.annotations("placed"))
        with self.assertRaises(lossless.EventRefused) as refused:
            self.reader.series("unknown", "loss")
        self.assertEqual("experiment_not_found", refused.exception.code)
        self.assertTrue(str(refused.exception).endswith("('unknown')"), refused.exception)
        with self.assertRaises(lossless.RequestRefused) as unauthorized:
            lossless.Reader(self.service.url, "ak_" + "w" * 40).tree()
        self.assertEqual("unauthorized", unauthorized.exception.code)

    def test_what_was_meant_is_named(self) -> None:
        points = Points(self.service, "near/20261122-maple")
        self.assertEqual(0, len(self.reader.series("near/20261122-maple", "val/loss")), "it has no points yet")
        self.assertEqual({}, self.reader.all_series("near/20261122-maple"))
        for name in ("train/loss", "val/loss", "accuracy"):
            points.write(name, [(0, 0, 1.0)])
        for read in (
            lambda: self.reader.series("near/20261122-maple", "val/los"),
            lambda: self.reader.all_series("near/20261122-maple", ["accuracy", "val/los"]),
            lambda: list(self.reader.iter_series("near/20261122-maple", ["val/los", "accuracy"])),
        ):
            with self.assertRaises(lossless.SeriesNotFound) as unknown:
                read()
            self.assertIsInstance(unknown.exception, KeyError)
            self.assertEqual("val/loss", unknown.exception.near[0])
            self.assertRegex(
                str(unknown.exception), "^near/20261122-maple has no series 'val/los': is .* meant[?]; it has 3$"
            )
        for slug in ("near", "near/20261122-mapel"):
            with self.assertRaises(lossless.EventRefused) as refused:
                self.reader.experiment(slug)
            self.assertEqual("experiment_not_found", refused.exception.code)
            self.assertIn(f"({slug!r}: is 'near/20261122-maple' meant?)", str(refused.exception))

    def test_chunks_need_no_more_memory_for_more_points(self) -> None:
        """The real service, 60,000 points: the peak is that of some records, not of the series."""
        points = Points(self.service, "long")
        points.write("loss", [(step, step, step / 3) for step in range(60_000)])
        # Imports and caches of the first call are no memory of the series.
        self.assertEqual(0, sum(1 for _ in self.reader.iter_series("long", "loss", {"none": "x"})))
        tracemalloc.start()
        step = 0
        for chunk in self.reader.iter_series("long", "loss"):
            self.assertEqual(list(range(step, step + len(chunk))), chunk.step)
            step += len(chunk)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertEqual(60_000, step)
        self.assertLess(peak, 8 * MEBI)

    def test_other_calls_while_a_stream_is_read(self) -> None:
        Points(self.service, "both").write("a", [(step, step, 1.0) for step in range(15_000)])
        chunks = self.reader.iter_series("both")
        first = next(chunks)
        self.assertEqual("both", self.reader.experiment("both")["slug"])
        self.assertEqual(15_000, len(first) + sum(map(len, chunks)))
        # Left in the middle: no warning of a socket that nobody closed.
        left = self.reader.iter_series("both")
        next(left)
        left.close()

    def test_pandas_where_it_is(self) -> None:
        Points(self.service, "frame").write("a", [(3, 5, 0.5), (1, 6, 0.25)], {"step": "x"})
        series = self.reader.series("frame", "a")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(lossless.LosslessError, "pip install pandas"):
                series.to_pandas()
            return
        frame = series.to_pandas()
        self.assertEqual(["step", "timestamp_ms", "value", "meta.step"], list(frame.columns))
        self.assertEqual([[1, 6, 0.25, "x"], [3, 5, 0.5, "x"]], frame.values.tolist())
        self.assertEqual(0, len(self.reader.series("frame", "a", {"step": "y"}).to_pandas()))


LINES, COLUMNS = "application/x-ndjson", "application/vnd.lossless.columns"


class Planted(http.server.BaseHTTPRequestHandler):
    """A service whose streams are made by `streams`, one after the other."""

    protocol_version = "HTTP/1.1"
    streams: list[Any] = []
    form = "application/x-ndjson"
    accepted: list[str] = []
    changed: Callable[[bytes], bytes] = staticmethod(lambda record: record)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/v2/events":
            replies = [
                {
                    "messageId": "r",
                    "correlationId": each["messageId"],
                    "event": "svc.v2.query.experiment.result",
                    "data": {"experimentId": "e1"},
                }
                for each in body
            ]
            return self._whole(json.dumps(replies).encode())
        self.accepted.append(self.headers["Accept"])
        form = LINES if self.form not in self.headers["Accept"] else self.form
        stream = type(self).streams.pop(0)
        if isinstance(stream, int):
            self.send_response(stream)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(200)
        self.send_header("Content-Type", form)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for each in stream():
            event, data = each
            record = {"messageId": "r", "correlationId": body["messageId"], "event": f"svc.v2.{event}", "data": data}
            line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
            try:
                self.wfile.write(line if form == LINES else self.changed(column_record(record)))
            except BrokenPipeError:
                return  # The reader has seen enough.

    def _whole(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


def data(name: str, steps: range) -> tuple[str, dict[str, Any]]:
    columns = {"step": list(steps), "timestampMs": list(steps), "value": [0.5] * len(steps)}
    return "query.series.data", {"experimentId": "e1", "seriesName": name, "metadata": {}, "data": columns}


def end(name: str, batches: int, points: int) -> list[tuple[str, dict[str, Any]]]:
    counts = {"batches": batches, "points": points}
    return [
        ("query.experimentseries.series", {"seriesName": name, **counts}),
        ("query.experimentseries.done", {"series": 1, **counts}),
    ]


def column_record(record: dict[str, Any]) -> bytes:
    """Returns a record as docs/columns.md says."""
    columns = record["data"].get("data", {"step": [], "timestampMs": [], "value": []})
    rest = {key: each for key, each in record["data"].items() if key != "data"}
    head = json.dumps({**record, "data": rest}).encode()
    head += b" " * (-len(head) % 8)
    steps = [math.nan if each is None else each for each in columns["step"]]
    numbers = array.array("d", [*steps, *columns["timestampMs"], *columns["value"]])
    prefix = struct.pack("<4sIII", b"LSer", 1, len(steps), len(head))
    summed = prefix + head + numbers.tobytes() + bytes(4)
    return summed + struct.pack("<I", zlib.crc32(summed))


class Broken(unittest.TestCase):
    """Broken streams, which must not pass for complete ones."""

    form = LINES

    def setUp(self) -> None:
        own = type("Own", (Planted,), {"form": self.form, "accepted": []})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), own)
        self.handler: Any = self.server.RequestHandlerClass
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.patient = lossless.Reader(self.url, KEY)
        self.hasty = lossless.Reader(self.url, KEY, retry_seconds=0)

    def tearDown(self) -> None:
        self.patient.close()
        self.hasty.close()
        self.server.shutdown()
        self.server.server_close()

    def test_a_stream_that_breaks_is_read_again_as_a_whole(self) -> None:
        failure = {"code": "storage_unavailable", "message": "down", "status": 503, "retryable": True, "details": {}}
        self.handler.streams = [
            lambda: [data("a", range(10))],
            lambda: [data("a", range(10)), ("error", failure)],
            lambda: [data("a", range(10)), *end("a", 1, 11)],
            lambda: [data("a", range(10)), data("a", range(10, 25)), *end("a", 2, 25)],
        ]
        self.assertEqual(list(range(25)), list(self.patient.series("e", "a").step))
        self.assertEqual([], self.handler.streams)

    def test_what_is_incomplete_is_told(self) -> None:
        gone = {"code": "internal", "message": "no", "status": 400, "retryable": False, "details": {}}
        for stream, error in (
            ([], lossless.IncompleteStream),
            ([data("a", range(3))], lossless.IncompleteStream),
            ([data("a", range(3)), *end("a", 1, 4)], lossless.IncompleteStream),
            ([data("a", range(3)), *end("a", 2, 3)], lossless.IncompleteStream),
            ([data("a", range(3)), *end("a", 1, 3)[1:]], lossless.IncompleteStream),
            ([*end("a", 0, 0)[:1], data("a", range(3)), *end("a", 1, 3)], lossless.IncompleteStream),
            ([data("a", range(3)), ("error", gone)], lossless.EventRefused),
            ([*end("a", 0, 0), data("a", range(3))], lossless.ConnectionFailed),
            ([("query.other", {})], lossless.ConnectionFailed),
        ):
            with self.subTest(stream=stream):
                self.handler.streams = [lambda stream=stream: stream]
                with self.assertRaises(error):
                    self.hasty.series("e", "a")

    def test_a_million_points_in_bounded_memory(self) -> None:
        """A planted service saves writing a million first: 24 bytes a point, and one record."""
        count, size = 1_000_000, 10_000

        def stream() -> Any:
            for start in range(0, count, size):
                yield data("a", range(start, start + size))
            yield from end("a", count // size, count)

        self.handler.streams = [stream]
        # Another process reads, whose memory the making of the stream is no part of.
        script = (
            "import sys, resource; sys.modules['numpy'] = None\n"
            "import lossless\n"
            "reader = lossless.Reader(sys.argv[1], sys.argv[2])\n"
            "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "reader.experiment('e'); before = peak()\n"
            "series = reader.series('e', 'a')\n"
            "assert len(series) == 1_000_000 and series.step[999_999] == 999_999\n"
            "print(peak() - before)\n"
        )
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", script, self.url, KEY],
            env={**os.environ, "PYTHONPATH": str(Path(lossless.__file__).parents[1])},
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertEqual("", result.stderr)
        kibibytes = int(result.stdout) // (1024 if sys.platform == "darwin" else 1)
        # The columns are 23 MiB; growing one by copying may hold its largest twice.
        self.assertLess(kibibytes, 48 * 1024)

    def test_null_steps(self) -> None:
        event, old = data("a", range(2))
        old["data"]["step"] = [None, 4]
        self.handler.streams = [lambda: [(event, old), *end("a", 1, 2)]] * 2
        self.assertEqual([NO_STEP, 4], list(self.hasty.series("e", "a").step))
        self.assertEqual([[None, 4]], [chunk.step for chunk in self.hasty.iter_series("e", "a")])

    def test_null_steps_of_lines(self) -> None:
        event, old = data("a", range(2))
        old["data"]["step"] = [None, 4]
        series = collected(
            checked_chunks(
                [{"event": f"svc.v2.{name}", "data": each} for name, each in [(event, old), *end("a", 1, 2)]], "e1"
            ),
            ["a"],
        )["a"]
        self.assertEqual([NO_STEP, 4], list(series.step))


class BrokenColumns(Broken):
    form = COLUMNS

    def test_a_stream_that_ends_anywhere_is_incomplete(self) -> None:
        records = [data("a", range(3)), *end("a", 1, 3)]
        whole = b"".join(column_record({"event": f"svc.v2.{event}", "data": each}) for event, each in records)

        def read(size: int) -> Any:
            return collected(checked(column_records(io.BytesIO(whole[:size]).read), "e1"), ["a"])["a"]

        self.assertEqual([0, 1, 2], list(read(len(whole)).step))
        for size in range(len(whole)):
            with self.subTest(size=size), self.assertRaises(lossless.IncompleteStream):
                read(size)
        # Through a service whose reply ends within a record.
        self.handler.changed = staticmethod(lambda record: record[:-1])
        self.handler.streams = [lambda: records]
        with self.assertRaises(lossless.IncompleteStream):
            self.hasty.series("e", "a")

    def test_a_proxy_that_changes_or_refuses_columns_gets_lines(self) -> None:
        records = [data("a", range(3)), *end("a", 1, 3)]
        for place in (4, 100):
            changed = lambda record, place=place: record[:place] + bytes([record[place] ^ 1]) + record[place + 1 :]  # noqa: E731
            self.handler.changed = staticmethod(changed)
            self.handler.streams = [lambda: records] * 3
            self.handler.accepted.clear()
            with lossless.Reader(self.url, KEY) as reader:
                for _ in range(2):
                    self.assertEqual([0, 1, 2], list(reader.series("e", "a").step))
            self.assertEqual([f"{COLUMNS}; version=1, {LINES};q=0.9", LINES, LINES], self.handler.accepted)
        self.handler.streams = [406, lambda: records]
        self.assertEqual([0, 1, 2], list(self.hasty.series("e", "a").step))
        self.assertEqual(LINES, self.handler.accepted[-1])

    def test_values_are_the_same_bit_for_bit(self) -> None:
        event, odd = data("a", range(4))
        odd["data"]["value"] = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, -0.0]
        odd["data"]["step"] = [0, 2**53 - 2, 2**32 + 1, 7]
        self.handler.streams = [lambda: [(event, odd), *end("a", 1, 4)]] * 2
        series = self.hasty.series("e", "a")
        self.assertEqual([each.hex() for each in odd["data"]["value"]], [float(each).hex() for each in series.value])
        self.assertEqual(odd["data"]["step"], [int(each) for each in series.step])
        (chunk,) = self.hasty.iter_series("e", "a")
        self.assertEqual(odd["data"], {"step": chunk.step, "timestampMs": chunk.timestamp_ms, "value": chunk.value})
        self.assertEqual({int}, set(map(type, chunk.step + chunk.timestamp_ms)))


if __name__ == "__main__":
    unittest.main()

"""`lossless import tables`: CSV, TSV and JSON lines as they are found, and DVCLive."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

from service import ROOT, WithService

from lossless._importing.parquet_files.damage import Damaged
from lossless._importing.parquet_files.pages import _check, _unpacked
from lossless._importing.source import Item
from lossless._importing.table_files.parquet_rows import ParquetRun

_WILD = (
    b"Report of x\nmade by y\n\nstep;loss;perte \xe9;note\n0;1,5;1.234,5;a\n1;0,75;2;b\n2;oops;3;c\n3;NaN;4;d\n"
    b"x;1;2;e\n4;0,1\n5;0,2;;f\nstep;loss;perte \xe9;note\n6;0,3;7;g\n7;0,4;8"
)


_FOREIGN = ROOT / "python/tests/foreign"


class ImportingTables(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.directory / "tables" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def report(self, *words: Any, code: int = 0) -> dict[str, dict[str, Any]]:
        path = self.directory / "report.json"
        command = [sys.executable, "-m", "lossless", "import", "tables", *map(str, words), "--report", str(path)]
        result = subprocess.run(command, env=self.service.environment(), capture_output=True, text=True, timeout=120)
        self.assertEqual(code, result.returncode, result.stdout + result.stderr)
        return {run["slug"]: run for run in json.loads(path.read_text())["runs"]}

    def points(self, slug: str) -> dict[str, list[tuple[int, float]]]:
        return {name: [(step, value) for step, value, _ in rows] for name, rows in self.service.points(slug).items()}

    def test_good_rows_are_stored_and_wrong_ones_named_with_their_line(self) -> None:
        path = self.write("wild.csv", _WILD)
        run = self.report(path, "--prefix", "wild/", code=1)["wild/wild"]
        self.assertTrue(run["comparison"]["equal"])
        points = self.points("wild/wild")
        self.assertEqual([(0, 1.5), (1, 0.75), (5, 0.2), (6, 0.3)], points["loss"])
        self.assertEqual([(0, 1234.5), (1, 2), (2, 3), (3, 4), (6, 7)], points["perte %C3%A9"])
        told = [problem.removeprefix(f"{path}:") for problem in run["problems"]]
        self.assertEqual(
            [
                "9: 'x' is no number",
                "10: it has 2 cells, and not 4",
                "14: it has 3 cells, and not 4, the file ends within it",
                "7: loss: 'oops' is no number",
            ],
            told,
        )
        self.assertEqual(["column note"], [each["what"] for each in run["notCarried"]])
        again = self.report(path, "--prefix", "wild/", code=1)["wild/wild"]
        self.assertEqual((0, points), (again["newPoints"], self.points("wild/wild")))

    def test_other_forms(self) -> None:
        self.write("long.csv", 'step,metric,value\n0,loss,1.5\n0,"a\nb",2\n1,loss,"1,234.5"\n2,loss,"open\n3,loss,4\n')
        self.write("run1/metrics.csv", "\ufeffepoch,step,loss,loss\r\n0,49,,2.5\r\n0,50,1.5,\r\n1,99,,inf\r\n")
        self.write("run1/hparams.yaml", "lr: 0.1\nnet:\n  depth: 3\n")
        self.write(
            "tabs.tsv", "# comment\nepoch\tacc\ttimestamp\n0.5\t0.1\t2026-01-01 00:00:00\n1.0\t0.2\t1767225601\n"
        )
        self.write("packed.csv.gz", gzip.compress(b"iter,x\n0,9007199254740993\n1,1e-3\n")[:-9])
        self.write("index.csv", "sep=,\nmade by x, in y, today\n,_step,loss\n0,5,1.5\n1,6,2.5\n")
        self.write("ambiguous.csv", "step;x\n0;1,234\n1;5\n")
        self.write("x.jsonl", '{"step":0,"loss":1.5,"a":{"b":NaN},"t":"x"}\n{"step":1,"loss":true}\nbad\n{"step":2,"lo')
        runs = self.report(self.directory / "tables", "--prefix", "forms/", code=1)
        self.assertTrue(all(run["comparison"]["equal"] for run in runs.values()))
        self.assertEqual({"loss": [(0, 1.5), (1, 1234.5), (3, 4)], "a%0Ab": [(0, 2)]}, self.points("forms/long"))
        self.assertIn(":6: a quote is not closed", runs["forms/long"]["problems"][0])
        expected = {"epoch": [(49, 0), (50, 0), (99, 1)], "loss": [(50, 1.5)], "loss.1": [(49, 2.5)]}
        self.assertEqual(expected, self.points("forms/run1"))
        meta = self.service.query("query.experiment", experimentSlug="forms/run1")["meta"]
        self.assertEqual([0.1, {"depth": 3}], [meta["lr"], meta["net"]])
        # A fraction of an epoch is no step.
        self.assertEqual({"epoch": [(0, 0.5), (1, 1)], "acc": [(0, 0.1), (1, 0.2)]}, self.points("forms/tabs"))
        series = {each["name"]: each for each in runs["forms/tabs"]["comparison"]["series"]}
        times = [series["acc"]["source"][which]["timestampMs"] for which in ("first", "last")]
        self.assertEqual([1_767_225_600_000, 1_767_225_601_000], times)
        self.assertEqual({"x": [(0, 2.0**53), (1, 0.001)]}, self.points("forms/packed"))
        self.assertEqual({"x": 1}, runs["forms/packed"]["rounded"])
        self.assertIn("cannot be read to its end", runs["forms/packed"]["problems"][0])
        self.assertEqual({"loss": [(5, 1.5), (6, 2.5)]}, self.points("forms/index"))
        self.assertEqual({"x": [(1, 5)]}, self.points("forms/ambiguous"))
        self.assertEqual({"loss": [(0, 1.5), (1, 1)]}, self.points("forms/x"))
        self.assertEqual(2, len(runs["forms/x"]["problems"]))

    def test_a_directory_of_dvclive_is_one_run(self) -> None:
        self.write("dvclive/plots/metrics/train/loss.tsv", "step\tloss\n0\t1.5\n1\t0.1\n")
        self.write("dvclive/plots/metrics/acc.tsv", "step\tacc\n1\t0.5\n")
        self.write("dvclive/plots/images/a.png", b"\x89PNG")
        self.write("dvclive/params.yaml", "lr: 0.1\n")
        self.write("dvclive/metrics.json", '{"acc": 0.5, "best": 1}')
        run = self.report(self.directory / "tables", "--prefix", "dvc/")["dvc/dvclive"]
        self.assertTrue(run["whole"])
        self.assertEqual({"train/loss": [(0, 1.5), (1, 0.1)], "acc": [(1, 0.5)]}, self.points("dvc/dvclive"))
        self.assertEqual(0.1, self.service.query("query.experiment", experimentSlug="dvc/dvclive")["meta"]["lr"])
        self.assertEqual([3], [each["files"] for each in run["files"]])

    def test_a_store_of_dvclive_comes_whole(self) -> None:
        run = self.report(_FOREIGN / "dvclive/store", "--prefix", "real-dvc/")["real-dvc/store"]
        self.assertTrue(run["whole"])
        points = self.points("real-dvc/store")
        self.assertEqual({"train/loss", "val/acc", "lr"}, set(points))
        self.assertEqual([(step, 1 / (step + 1)) for step in range(12)], points["train/loss"])
        self.assertEqual([(3, 0.25), (7, 7 / 12), (11, 11 / 12)], points["val/acc"])
        self.assertEqual([(step, 0.1 * 0.9**step) for step in range(12)], points["lr"])
        notes = [note["meta"] for note in self.service.annotations("real-dvc/store")]
        odd = [(note["metricName"], note["step"]) for note in notes if note["kind"] == "nonfinite"]
        self.assertEqual([("odd", 5)], odd)
        meta = self.service.query("query.experiment", experimentSlug="real-dvc/store")["meta"]
        config = {"lr": 0.1, "net": {"depth": 3, "act": "relu"}, "layers": [16, 32], "note": "a: b", "on": True}
        self.assertEqual(config, {name: meta.get(name) for name in config})
        self.assertEqual([3], [each["files"] for each in run["files"]])

    def test_stores_of_lightnings_logger_come_whole(self) -> None:
        runs = self.report(_FOREIGN / "lightning/store", "--prefix", "csv/")
        self.assertEqual({"csv/digits/version_0", "csv/digits/version_1"}, set(runs))
        self.assertTrue(all(run["whole"] for run in runs.values()))
        first = self.points("csv/digits/version_0")
        self.assertEqual([(step, 1 / (step + 1)) for step in range(8)], first["train/loss"])
        self.assertEqual([(3, 3 / 8), (7, 7 / 8)], first["val/acc"])
        self.assertEqual([(8, 2.0**53)], first["big"])
        second = self.points("csv/digits/version_1")
        self.assertEqual([(0, 0.5), (1, 0.25), (2, 0.5 / 3), (3, 0.1)], second["loss"])
        meta = self.service.query("query.experiment", experimentSlug="csv/digits/version_0")["meta"]
        config = {"lr": 0.1, "net": {"depth": 3, "act": "relu"}, "layers": [16, 32], "note": "a: b"}
        self.assertEqual(config, {name: meta.get(name) for name in config})

    def test_the_parts_of_a_history_in_parquet_are_one_run(self) -> None:
        history = self.directory / "tables/run-abc123-history-v0"
        shutil.copytree(ROOT / "python/tests/foreign/parquet/run-abc123-history-v0", history)
        self.write("cut.parquet", (history / "0000.parquet").read_bytes()[:-9])
        runs = self.report(self.directory / "tables", "--prefix", "pq/", code=1)
        self.assertTrue(runs["pq/abc123"]["whole"])
        self.assertRegex(runs["pq/cut"]["problem"], "its end is missing")
        points = self.points("pq/abc123")
        self.assertEqual([(step, 1 / (step + 1)) for step in range(30)], points["train/loss"])
        self.assertEqual([(0, 0.0), (10, 10 / 30), (20, 20 / 30)], points["val/acc"])
        notes = [note["annotation"] for note in self.service.annotations("pq/abc123")]
        self.assertEqual(["note: warm"], notes)


class ReadingParquet(unittest.TestCase):
    def test_a_part_that_is_damaged_moves_no_other(self) -> None:
        parts = sorted((ROOT / "python/tests/foreign/parquet/run-abc123-history-v0").glob("*.parquet"))
        whole = list(ParquetRun(parts, "x", None).items())
        with tempfile.TemporaryDirectory() as directory:
            cut = Path(directory, parts[0].name)
            cut.write_bytes(parts[0].read_bytes()[:-9])
            run = ParquetRun([cut, *parts[1:]], "x", None)
            self.assertTrue(set(run.items()) < set(whole))
            # Its rows have no other steps than their numbers.
            run = ParquetRun([cut, *parts[1:]], "x", "none")
            self.assertEqual([], list(run.items()))
            self.assertRegex(run.problems[1], "rows without a step and a time of their own cannot be numbered")

    def test_decimals_are_numbers(self) -> None:
        class File:
            columns, problems, rows, row = ["step", "loss", "list"], [], 1, 0

            def __init__(self, path: Path) -> None:
                pass

            def read(self, _: Any) -> Any:
                yield Decimal("3.00"), Decimal("0.5"), [Decimal("1.5"), Decimal(2)]

        with mock.patch("lossless._importing.table_files.parquet_rows.ParquetFile", File):
            items: list[Item] = list(ParquetRun([Path("x.parquet")], "x", None).items())
        self.assertEqual([("loss", 3, 0.5), ("list", 3, "[1.5, 2]")], [(each[1], each[2], each[4]) for each in items])

    def test_a_page_unpacks_to_no_more_than_its_header_says(self) -> None:
        self.assertEqual(b"", _unpacked(gzip.compress(bytes(1000)), 2, 0))
        for count in (-1, 4):
            with self.assertRaises(Damaged):
                _check({1: count}, 3)


if __name__ == "__main__":
    unittest.main()

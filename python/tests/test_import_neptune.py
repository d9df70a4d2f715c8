"""`lossless import neptune`: an export that neptune-exporter wrote, by foreign/neptune/make.py."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service import ROOT, WithService

from lossless._importing.importer import Options, import_source
from lossless._importing.run_meta import NotOurs, check_ours
from lossless._importing.source import Head, Item, LeftOut, Line

_EXPORT = ROOT / "python/tests/foreign/neptune/export"


class ImportingNeptune(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def report(self, *words: Any, code: int = 0) -> dict[str, Any]:
        path = self.directory / "report.json"
        command = [sys.executable, "-m", "lossless", "import", "neptune", *map(str, words), "--report", str(path)]
        result = subprocess.run(command, env=self.service.environment(), capture_output=True, text=True, timeout=120)
        self.assertEqual(code, result.returncode, result.stdout + result.stderr)
        return json.loads(path.read_text())

    def test_an_export_comes_whole_and_once(self) -> None:
        dry = self.report(_EXPORT, "--dry-run")
        self.assertEqual([50, 8], [run["source"]["metrics/loss"]["count"] for run in dry["runs"]])
        report = self.report(_EXPORT)
        slugs = [run["slug"] for run in report["runs"]]
        self.assertEqual(["team/demo/first", "team/demo/half/steps"], slugs)
        self.assertTrue(all(run["whole"] for run in report["runs"]))
        points = {
            name: [(step, value) for step, value, _ in rows] for name, rows in self.service.points(slugs[0]).items()
        }
        self.assertEqual([(step, 1 / (step + 1)) for step in range(50)], points["metrics/loss"])
        self.assertEqual([(3, 5e-324), (4, 0.0)], points["metrics/odd"])
        self.assertEqual([(step, 10.0 + step) for step in range(3)], points["system/cpu"])
        notes = self.service.annotations(slugs[0])
        nonfinite = [note["meta"]["value"] for note in notes if note["meta"]["kind"] == "nonfinite"]
        self.assertEqual(["-Infinity", "Infinity", "NaN"], sorted(nonfinite))
        media = sorted(note["meta"]["_media"]["name"] for note in notes if note["meta"]["kind"] == "media")
        self.assertEqual(["pictures", "pictures", "weights"], media)
        self.assertEqual(
            [f"line {step}" for step in range(4)], [line["text"] for line in self.service.console(slugs[0])["lines"]]
        )
        record = self.service.query("query.experiment", experimentSlug=slugs[0])
        meta = record["meta"]
        self.assertEqual(["notes of the run", "done"], [record["description"], record["status"]])
        self.assertEqual(["my experiment", ["a", "b"], "g1"], [meta[key] for key in ("_name", "_tags", "_group")])
        self.assertEqual([0.1, 12, "größe"], [meta[f"parameters/{key}"] for key in ("lr", "layers", "name")])
        self.assertEqual([1740823200000, "ada"], [meta["import"][key] for key in ("startedAtMs", "user")])
        self.assertEqual(
            [("team/demo/first/files", 1)], [(each["artifact"], each["files"]) for each in report["runs"][0]["files"]]
        )
        # Its steps have fractions.
        record = self.service.query("query.experiment", experimentSlug=slugs[1])
        self.assertEqual(["error", 100], [record["status"], record["meta"]["import"]["stepMultiplier"]])
        quarters = [(step, value) for step, value, _ in self.service.points(slugs[1])["metrics/loss"]]
        self.assertEqual([(25 * step, float(step)) for step in range(8)], quarters)
        again = self.report(_EXPORT)
        self.assertEqual([0, 0], [run["newPoints"] for run in again["runs"]])
        self.assertEqual(len(notes), len(self.service.annotations(slugs[0])))

    def test_damaged_parts_end_nothing(self) -> None:
        export = self.directory / "export"
        shutil.copytree(_EXPORT, export)
        first, second = sorted((export / "data").rglob("*.parquet"))
        second.write_bytes(second.read_bytes()[:-100])
        damaged = bytearray(first.read_bytes())
        # The first group of rows has the parameters.
        damaged[4:1300] = bytes(1296)
        first.write_bytes(damaged)
        report = self.report(export, "--prefix", "damaged/", code=1)
        told = [(run["problem"], run["problems"]) for run in report["runs"]]
        self.assertRegex(told[1][0], "its end is missing")
        # Its parameters are lost with that, and nothing else.
        self.assertRegex(told[0][1][0], "damaged: .*part_0.parquet: 15 rows behind row 0 cannot be read")
        self.assertEqual(50, len(self.service.points("damaged/team/demo/first")["metrics/loss"]))

    def test_parts_of_the_console_grow_each_by_itself(self) -> None:
        for out, error in ((3, 1), (5, 2)):
            lines = [Line(1, "stdout", f"out {number}", "a/stdout") for number in range(out)]
            lines += [Line(1, "stderr", f"error {number}", "a/stderr") for number in range(error)]
            self.assertTrue(import_source(Some(lines), self.service.settings(), Options(), io.StringIO()))
            told = [line["text"] for line in self.service.console("grown")["lines"]]
            self.assertEqual(sorted(line.text for line in lines), sorted(told))


class Some:
    """A source with one run."""

    format = "some"
    title = "Some"

    def __init__(self, items: list[Item]) -> None:
        self.skipped: list[str] = []
        self.key = self.slug = self.place = "grown"
        self.head = Head()
        self.left_out: Counter[LeftOut] = Counter()
        self.problems: list[str] = []
        self.size = 1
        self._items = items

    def runs(self) -> list[Any]:
        return [self]

    def items(self) -> Iterator[Item]:
        return iter(self._items)

    def files(self) -> list[Any]:
        return []

    def artifacts(self) -> list[Any]:
        return []


class ReadingNeptune(unittest.TestCase):
    def test_a_run_whose_steps_need_another_multiplier_is_refused(self) -> None:
        record = {"format": "neptune", "run": "x"}
        check_ours("x", {"meta": {"import": record}}, record)
        with self.assertRaisesRegex(NotOurs, "were multiplied by 1 when it was imported, and need 100 now"):
            check_ours("x", {"meta": {"import": record}}, {**record, "stepMultiplier": 100})


if __name__ == "__main__":
    unittest.main()

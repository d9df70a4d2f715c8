"""`lossless import trackio`: a project that trackio 0.43.0 wrote, by foreign/trackio/make.py."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from service import ROOT, WithService

_STORE = ROOT / "python/tests/foreign/trackio"


class ImportingTrackio(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        shutil.copytree(_STORE / "media", self.directory / "media")
        self.execute((_STORE / "demo.sql").read_text())

    def execute(self, text: str) -> None:
        database = sqlite3.connect(self.directory / "demo.db")
        database.executescript(text)
        database.close()

    def report(self, *words: Any, code: int = 0) -> dict[str, Any]:
        path = self.directory / "report.json"
        command = [sys.executable, "-m", "lossless", "import", "trackio", *map(str, words), "--report", str(path)]
        result = subprocess.run(command, env=self.service.environment(), capture_output=True, text=True, timeout=120)
        self.assertEqual(code, result.returncode, result.stdout + result.stderr)
        return json.loads(path.read_text())

    def test_a_project_comes_whole_and_once(self) -> None:
        report = self.report(self.directory, "--prefix", "whole/")
        slugs = [run["slug"] for run in report["runs"]]
        self.assertEqual(["whole/demo/one", "whole/demo/two"], slugs[:2])
        self.assertTrue(slugs[2].startswith("whole/demo/two-"))
        self.assertTrue(all(run["whole"] for run in report["runs"]))
        slug = slugs[0]
        points = {name: [(step, value) for step, value, _ in rows] for name, rows in self.service.points(slug).items()}
        loss = [(step, 1 / (step + 1)) for step in range(20)]
        self.assertEqual(sorted([*loss, (3, 0.5), (100, 0.25)]), sorted(points["loss"]))
        self.assertEqual([(step, step) for step in range(20)], points["nested.x"])
        self.assertEqual([(20, 0.10000000149011612)], points["f32"])
        self.assertEqual([(20, 2.0**53)], points["big"])
        self.assertEqual({"big": 1}, report["runs"][0]["rounded"])
        notes = [note["meta"] for note in self.service.annotations(slug)]
        nonfinite = {note["metricName"]: note["value"] for note in notes if note["kind"] == "nonfinite"}
        self.assertEqual({"nan": "NaN", "inf": "Infinity", "ninf": "-Infinity"}, nonfinite)
        media = sorted((note["_media"]["name"], note["_media"]["kind"]) for note in notes if note["kind"] == "media")
        self.assertEqual([("hist", "histogram"), ("pic", "image")], media)
        texts = sorted(note["annotation"] for note in self.service.annotations(slug) if note["meta"]["kind"] == "text")
        self.assertEqual(["lst: [1, 2, 3]", "md: # hi", "txt: warm"], texts)
        self.assertEqual(["WARN"], [note["level"] for note in notes if note["kind"] == "alert"])
        meta = self.service.query("query.experiment", experimentSlug=slug)["meta"]
        self.assertEqual([0.1, {"d": 3}, "g", "one"], [meta[key] for key in ("lr", "net", "_group", "_name")])
        self.assertEqual([[(0, 2.0, {})], [(0, 3.0, {})]], [self.service.points(each)["loss"] for each in slugs[1:]])
        again = self.report(self.directory, "--prefix", "whole/")
        self.assertEqual([0, 0, 0], [run["newPoints"] for run in again["runs"]])
        self.assertEqual(len(notes), len(self.service.annotations(slug)))

    def test_new_rows_old_tables_and_artifacts(self) -> None:
        self.report(self.directory, "--prefix", "more/")
        table = json.dumps({"_type": "trackio.table", "_value": [{"a": 1, "b": "x"}, {"a": 2.5}]})
        digest = "ab" + "0" * 62
        blob = self.directory / "artifacts/demo/blobs/sha256/ab" / digest
        blob.parent.mkdir(parents=True)
        blob.write_bytes(b"weights")
        manifest = json.dumps([{"path": "w.bin", "digest": digest, "size": 7}])
        self.execute(
            f"""
            INSERT INTO metrics (run_id, timestamp, run_name, step, metrics, log_id)
              SELECT run_id, timestamp, run_name, 200, '{{"loss": 7.0, "a.b": 1, "a": {{"b": 2}}, "t": {table}}}', 'new'
              FROM metrics WHERE run_name = 'one' LIMIT 1;
            INSERT INTO metrics (run_id, timestamp, run_name, step, metrics, log_id)
              SELECT run_id, timestamp, run_name, 201, 'no json', 'bad' FROM metrics WHERE run_name = 'one' LIMIT 1;
            INSERT INTO artifacts (id, name, type, created_at) VALUES (1, 'net', 'model', '2026-01-01T00:00:00+00:00');
            INSERT INTO artifact_versions (artifact_id, version, manifest_digest, manifest, size_bytes, producer_run_id,
              created_at) SELECT 1, 0, 'd', '{manifest}', 7, run_id, timestamp FROM metrics WHERE run_name = 'one' LIMIT 1;
            """
        )
        report = self.report(self.directory / "demo.db", "--prefix", "more/", code=1)
        run = report["runs"][0]
        self.assertEqual(3, run["newPoints"])
        self.assertTrue(run["comparison"]["equal"])
        self.assertEqual([("more/demo/net", 1)], [(each["artifact"], each["files"]) for each in run["files"]])
        self.assertRegex(run["problems"][0], r"damaged: row \d+ of metrics in .*demo\.db is no JSON")
        self.assertEqual([1, 2], sorted(value for _, value, _ in self.service.points("more/demo/one")["a.b"]))
        # Before runs had ids.
        old = sqlite3.connect(self.directory / "old.db")
        old.executescript(
            """
            CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);
            INSERT INTO metrics VALUES (1, '2025-08-01T00:00:00', 'r', 0, '{"loss": 1.5}');
            INSERT INTO metrics VALUES (2, '2025-08-01T00:00:01', 'r', 1, '{"loss": Infinity}');
            """
        )
        old.close()
        report = self.report(self.directory / "old.db", "--prefix", "more/")
        self.assertEqual([(0, 1.5, {})], self.service.points("more/old/r")["loss"])
        self.assertEqual(2, report["runs"][0]["comparison"]["series"][0]["stored"]["count"])


if __name__ == "__main__":
    unittest.main()

"""
`lossless import wandb`: a store that wandb 0.31.0 wrote (foreign/wandb, made by make.py there), and
files made here for what that package writes only by accident.
"""

from __future__ import annotations

import json
import math
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import wandb_file
from service import ROOT, WithService

_STORE = ROOT / "python/tests/foreign/wandb/store"


class ImportingWandb(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def command(self, *words: Any) -> list[str]:
        return [sys.executable, "-m", "lossless", "import", "wandb", *map(str, words)]

    def imported(self, *words: Any, code: int = 0) -> str:
        result = subprocess.run(
            self.command(*words), env=self.service.environment(), capture_output=True, text=True, timeout=900
        )
        self.assertEqual(code, result.returncode, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def report(self, *words: Any, code: int = 0) -> dict[str, Any]:
        path = self.directory / "report.json"
        self.imported(*words, "--report", path, code=code)
        return json.loads(path.read_text())

    def made(self, run_id: str, records: Iterable[bytes]) -> Path:
        path = self.directory / f"offline-run-20260101_000000-{run_id}" / f"run-{run_id}.wandb"
        wandb_file.write(path, [wandb_file.run(run_id), *records])
        return path

    def counts(self, slug: str) -> tuple[int, int, int]:
        points = sum(len(rows) for rows in self.service.points(slug).values())
        return points, len(self.service.annotations(slug)), self.service.console(slug)["total"]

    def test_what_the_package_wrote_comes_whole_and_once(self) -> None:
        report = self.report(_STORE, "--prefix", "whole/")
        self.assertEqual(["whole/demo/abc12345", "whole/demo/resumed1"], [run["slug"] for run in report["runs"]])
        self.assertTrue(all(run["whole"] and run["comparison"]["equal"] for run in report["runs"]))
        slug = "whole/demo/abc12345"
        points = {name: [(step, value) for step, value, _ in rows] for name, rows in self.service.points(slug).items()}
        self.assertEqual([*((step, 1 / (step + 1)) for step in range(20)), (30, 0.5)], points["loss"])
        # float32 is widened, as W&B has written it.
        self.assertEqual((1, 0.10000000149011612), points["acc"][1])
        self.assertEqual([(step, step * 0.5) for step in range(20)], points["nested.y.z"])
        self.assertEqual([(20, 2.0**53)], points["big"])
        self.assertEqual([(20, 2.0**70)], points["huge"])
        self.assertEqual([(20, 5e-324)], points["tiny"])
        self.assertEqual([(20, 1)], points["b"])
        self.assertEqual([(31, 1), (33, 2)], points["mixed"])
        self.assertEqual({"tag": "perte/é"}, self.service.points(slug)["perte/%C3%A9"][0][2])
        self.assertEqual({"big": 1}, report["runs"][0]["rounded"])
        notes = [note["meta"] for note in self.service.annotations(slug)]
        nonfinite = {note["metricName"]: (note["value"], note["step"]) for note in notes if note["kind"] == "nonfinite"}
        self.assertEqual({"nan": ("NaN", 20), "inf": ("Infinity", 20), "ninf": ("-Infinity", 20)}, nonfinite)
        texts = {note["metricName"]: note["step"] for note in notes if note["kind"] == "text"}
        self.assertEqual({"phase": 20, "lst": 20, "mixed": 32}, texts)
        media = sorted((note["_media"]["name"], note["_media"]["kind"]) for note in notes if note["kind"] == "media")
        kinds = [("hist", "histogram"), ("html", "html"), ("pic", "image"), ("pics", "image"), ("pics", "image")]
        self.assertEqual([*kinds, ("snd", "audio"), ("tab", "table")], media)
        self.assertEqual([("oh: text here", "alert")], self.texts_of(slug, "alert"))
        record = self.service.query("query.experiment", experimentSlug=slug)
        meta = record["meta"]
        self.assertEqual(("some\nnotes", "done"), (record["description"], record["status"]))
        self.assertEqual(
            [0.1, {"depth": 3, "act": "relu"}, [1, 2], "x"], [meta[key] for key in ("lr", "net", "layers", "late")]
        )
        self.assertEqual(
            ["first run", ["a", "b"], "g1", "train"], [meta[key] for key in ("_name", "_tags", "_group", "_job_type")]
        )
        self.assertEqual(
            {"stepMetric": "epoch", "stepSync": True, "summary": ["min", "max"]}, meta["_metrics"]["val/*"]
        )
        lines = [(line["stream"], line["text"]) for line in self.service.console(slug)["lines"]]
        self.assertEqual([("stdout", "hello console"), ("stdout", "progress 3"), ("stderr", "err line")], lines)
        left_out = {each["what"] for each in report["runs"][0]["notCarried"]}
        self.assertEqual({"null of none", "object3D-file of points"}, left_out)
        before = [self.counts(run["slug"]) for run in report["runs"]]
        files = [each for run in report["runs"] for each in run["files"]]
        again = self.report(_STORE, "--prefix", "whole/")
        self.assertEqual([0, 0], [run["newPoints"] for run in again["runs"]])
        self.assertEqual(before, [self.counts(run["slug"]) for run in report["runs"]])
        told = [each for run in again["runs"] for each in run["files"]]
        self.assertEqual([{**each, "isNew": False} for each in files], told)

    def texts_of(self, slug: str, kind: str) -> list[tuple[str, str]]:
        return [(note["annotation"], kind) for note in self.service.annotations(slug) if note["meta"]["kind"] == kind]

    def test_a_run_that_was_killed_and_resumed_is_one(self) -> None:
        self.imported(_STORE, "--prefix", "resumed/")
        rows = self.service.points("resumed/demo/resumed1")["loss"]
        first = [value for step, value, _ in rows if value == step]
        # The package lost the steps of the last block; those of the second part go back.
        self.assertEqual([float(step) for step in range(len(first))], first)
        self.assertGreater(len(first), 85)
        second = [(step, value) for step, value, _ in rows if value != step]
        self.assertEqual([(step, 10.0 * step) for step in range(80, 85)], second)
        record = self.service.query("query.experiment", experimentSlug="resumed/demo/resumed1")
        self.assertEqual(("error", "the W&B run ended with exit code 3"), (record["status"], record["error"]))

    def test_a_dry_run_needs_no_service_and_sends_nothing(self) -> None:
        environment = {**self.service.environment(), "LOSSLESS_URL": "http://127.0.0.1:9"}
        result = subprocess.run(
            self.command(_STORE, "--prefix", "dry/", "--dry-run"), env=environment, capture_output=True, text=True
        )
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("dry/demo/abc12345: would import 16 series, 91 points", result.stdout)
        self.assertIn("nothing was sent", result.stdout)

    def test_damage_costs_a_block_and_is_named(self) -> None:
        path = self.made("hurt", [wandb_file.history(step, {"loss": step / 3}) for step in range(1_000)])
        content = bytearray(path.read_bytes())
        content[40_000] ^= 1
        path.write_bytes(bytes(content[:-3]))
        told = self.imported(path, "--prefix", "damage/", code=1)
        self.assertIn("damaged: ", told)
        self.assertIn("the checksum of a record is wrong", told)
        self.assertIn("the file ends within a record", told)
        rows = self.service.points("damage/made/hurt")["loss"]
        self.assertGreater(len(rows), 400)
        self.assertLess(len(rows), 999)
        self.assertTrue(all(value == step / 3 for step, value, _ in rows))

    def test_a_record_that_w_b_has_not_written_costs_itself(self) -> None:
        odd = wandb_file.message((2, wandb_file.message((1, wandb_file.message((2, "x"), (16, "{"))))))
        far = wandb_file.history(1, {"_timestamp_": 1, "y": 2})
        far = far.replace(b"1700000001", b"1e400     ")
        artifact = wandb_file.message((8, b"\x0f\x01"))
        path = self.made("odd", [odd, far, artifact, wandb_file.history(2, {"x": 2}), wandb_file.exited()])
        run = self.report(path, "--prefix", "odd/", code=1)["runs"][0]
        self.assertEqual(2, len(run["problems"]))
        self.assertEqual(["an artifact"], [each["what"] for each in run["notCarried"]])
        self.assertEqual({"x": [(2, 2, {})]}, self.service.points("odd/made/odd"))

    def test_a_run_that_has_grown_gets_what_is_new(self) -> None:
        records = [wandb_file.history(step, {"loss": step / 3, "bad": math.nan}) for step in range(50)]
        path = self.made("grows", records)
        self.imported(path, "--prefix", "grow/")
        record = self.service.query("query.experiment", experimentSlug="grow/made/grows")
        self.assertEqual("error", record["status"])
        more = [wandb_file.history(step, {"loss": step / 3}) for step in range(50, 80)]
        self.made("grows", [*records, *more, wandb_file.exited()])
        report = self.report(path, "--prefix", "grow/")
        self.assertEqual(30, report["runs"][0]["newPoints"])
        self.assertEqual((80, 50, 0), self.counts("grow/made/grows"))
        record = self.service.query("query.experiment", experimentSlug="grow/made/grows")
        self.assertEqual("done", record["status"])

    def test_media_of_a_run_that_has_grown_are_stored_once(self) -> None:
        picture = {"_type": "image-file", "path": "a.png"}
        records = [wandb_file.history(step, {"pic": picture}) for step in range(3)]
        path = self.made("media", records[:2])
        file = path.parent / "files" / "a.png"
        file.parent.mkdir()
        file.write_bytes(b"\x89PNG")
        for some in (records[:2], records):
            self.made("media", some)
            self.imported(path, "--prefix", "grow/")
        self.imported(path, "--prefix", "grow/")
        media = [note["meta"]["_media"] for note in self.service.annotations("grow/made/media")]
        self.assertEqual([0, 1, 2], sorted(each["step"] for each in media))
        versions = sorted((each["version"], each["step"]) for each in media)
        self.assertEqual([("000000000001", 0), ("000000000001", 1), ("000000000002", 2)], versions)
        found = self.service.versions("grow/made/media/media")
        self.assertEqual([2, 1], [sum(file["name"].endswith(".png") for file in each["files"]) for each in found])

    def test_steps_that_go_back_and_repeat_stay_as_they_are(self) -> None:
        steps = [5, 3, 3, 9, 0]
        path = self.made("back", [wandb_file.history(step, {"x": place}) for place, step in enumerate(steps)])
        report = self.report(path, "--prefix", "back/")
        rows = [(step, value) for step, value, _ in self.service.points("back/made/back")["x"]]
        self.assertEqual([(0, 4), (3, 1), (3, 2), (5, 0), (9, 3)], rows)
        self.assertEqual({"x": 3}, report["runs"][0]["stepsThatRepeatOrGoBack"])

    def test_lists_of_pages_come_and_what_is_cut_is_told(self) -> None:
        page = {"_type": "html-file", "path": "media/html/a.html"}
        pages = {"_type": "html", "count": 2, "html": [page, page]}
        picture = {"_type": "image-file", "path": "media/a.png", "boxes": {"p": {}}}
        path = self.made("kinds", [wandb_file.history(0, {"pages": pages, "pic": picture, "long": "y" * 20_000})])
        for name in ("media/html/a.html", "media/a.png"):
            file = path.parent / "files" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"<b>x</b>")
        run = self.report(path, "--prefix", "kinds/")["runs"][0]
        self.assertTrue(run["whole"])
        notes = [note["meta"] for note in self.service.annotations("kinds/made/kinds")]
        media = sorted(note["_media"]["name"] for note in notes if note["kind"] == "media")
        self.assertEqual(["pages", "pages", "pic"], media)
        left_out = {each["what"] for each in run["notCarried"]}
        self.assertEqual({"boxes of pic", "the end of the text long"}, left_out)

    def test_links_to_registered_models_are_named(self) -> None:
        link = wandb_file.message((24, wandb_file.message((2, "QXJ0"), (3, "Classifier"), (6, "production"))))
        path = self.made("link", [wandb_file.history(0, {"x": 1}), link])
        run = self.report(path, "--prefix", "link/")["runs"][0]
        self.assertTrue(run["whole"])
        self.assertEqual(["link of an artifact to Classifier"], [each["what"] for each in run["notCarried"]])

    def test_artifacts_come_if_their_copies_are_here(self) -> None:
        weights = self.directory / "staging" / "tmp1"
        weights.parent.mkdir()
        weights.write_bytes(b"weights")

        def artifact(name: str, place: Path) -> bytes:
            entry = wandb_file.message((1, "w.bin"), (4, 7), (6, str(place)))
            manifest = wandb_file.message((1, 1), (4, entry))
            return wandb_file.message(
                (8, wandb_file.message((4, "model"), (5, name), (8, '{"k":1}'), (11, "best"), (12, manifest)))
            )

        path = self.made("art", [artifact("net", weights), artifact("gone", self.directory / "nowhere")])
        run = self.report(path, "--prefix", "art/")["runs"][0]
        self.assertEqual([("art/made/net", 1)], [(each["artifact"], each["files"]) for each in run["files"]])
        self.assertEqual(["artifact gone"], [each["what"] for each in run["notCarried"]])

    def test_another_experiment_of_the_name_is_refused(self) -> None:
        self.service.query("experiment.open", slug="taken/made/mine", description="", meta={})
        path = self.made("mine", [wandb_file.history(0, {"x": 1})])
        told = self.imported(path, "--prefix", "taken/", code=1)
        self.assertIn("there is another experiment taken/made/mine, which this import has not made", told)
        self.assertEqual({}, self.service.points("taken/made/mine"))

    def test_after_kill_and_ctrl_c_the_same_command_goes_on(self) -> None:
        records = [
            wandb_file.history(step, {"a": step / 7, "b": -step, "c": math.inf if step % 500 == 0 else 1})
            for step in range(20_000)
        ]
        path = self.made("long", [*records, wandb_file.exited()])
        words = (path, "--prefix", "killed/")
        for number in (signal.SIGKILL, signal.SIGINT):
            before = self.stored("killed/made/long")
            process = subprocess.Popen(
                self.command(*words), env=self.service.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            while process.poll() is None and self.stored("killed/made/long") <= before:
                time.sleep(0.01)
            process.send_signal(number)
            process.communicate(timeout=600)
        report = self.report(*words)
        self.assertTrue(report["runs"][0]["whole"])
        self.assertEqual((59_960, 40, 0), self.counts("killed/made/long"))

    def stored(self, slug: str) -> int:
        record = self.service.query("query.experiment", experimentSlug=slug)
        if "experimentId" not in record:
            return 0
        return sum(len(rows) for rows in self.service.points(slug).values())


if __name__ == "__main__":
    unittest.main()

"""`lossless import clearml`, `comet`, `swanlab`: stores of their packages, by foreign/*/make.py."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any

from service import ROOT, WithService

from lossless._ground.errors import LosslessError
from lossless._importing.archive import Archive
from lossless._importing.clearml_sessions.source import ClearmlSessions
from lossless._importing.kept_files import KeptFiles
from lossless._importing.run_meta import meta_of
from lossless._importing.source import Head, Line

_FOREIGN = ROOT / "python/tests/foreign"
_SESSION = "demo/sub/first-1768894a"
_LOSS = [(step, 1 / (step + 1)) for step in range(300)]


class ImportingStores(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def report(self, *words: Any, code: int = 0) -> list[dict[str, Any]]:
        path = self.directory / "report.json"
        command = [sys.executable, "-m", "lossless", "import", *map(str, words), "--report", str(path)]
        result = subprocess.run(command, env=self.service.environment(), capture_output=True, text=True, timeout=120)
        self.assertEqual(code, result.returncode, result.stdout + result.stderr)
        return list(json.loads(path.read_text())["runs"])

    def points(self, slug: str) -> dict[str, list[tuple[int, float]]]:
        found = self.service.points(slug)
        return {name: [(step, value) for step, value, _ in rows] for name, rows in found.items()}

    def kinds(self, slug: str) -> list[str]:
        return sorted(note["meta"]["kind"] for note in self.service.annotations(slug))

    def damaged(self, archive: Path, member: str) -> Path:
        """Returns an archive with a line that is no JSON and a last line that is cut."""
        path = self.directory / archive.name
        with zipfile.ZipFile(archive) as source, zipfile.ZipFile(path, "w") as target:
            for each in source.infolist():
                content = source.read(each)
                target.writestr(each, b"no json\n" + content[:-20] if each.filename == member else content)
        return path

    def test_a_session_of_clearml_comes_whole_and_once(self) -> None:
        store = _FOREIGN / "clearml"
        run = self.report("clearml", store)[0]
        self.assertEqual((_SESSION, True), (run["slug"], run["whole"]))
        points = self.points(_SESSION)
        self.assertEqual(_LOSS, points["loss/train"])
        self.assertEqual([(0, 0.0), (1, 1e300)], points["odd/x"])
        self.assertEqual(["media", "media", "media", "summary"], self.kinds(_SESSION))
        self.assertIn("line one", [line["text"] for line in self.service.console(_SESSION)["lines"]])
        record = self.service.query("query.experiment", experimentSlug=_SESSION)
        meta = record["meta"]
        self.assertEqual(["notes", "done", ["a"]], [record["description"], record["status"], meta["_tags"]])
        self.assertEqual([0.1, 3], [meta["General/lr"], meta["General/net/d"]])
        self.assertEqual([2], [each["files"] for each in run["files"]])
        again = self.report("clearml", store)[0]
        self.assertEqual((0, True), (again["newPoints"], again["whole"]))

        archive = next(store.glob("*.zip"))
        (self.directory / "cut.zip").write_bytes(archive.read_bytes()[:3000])
        self.damaged(archive, "metrics.jsonl")
        cut, wrong = self.report("clearml", *sorted(self.directory.glob("*.zip")), "--prefix", "wrong/", code=1)
        self.assertRegex(cut["problem"], "is no whole zip file")
        self.assertRegex(" ".join(wrong["problems"]), r"metrics\.jsonl:1: no JSON: .*the file ends within it")
        self.assertLess(200, len(self.points(f"wrong/{_SESSION}")["loss/train"]))

    def test_an_archive_of_comet_comes_whole_and_once(self) -> None:
        store = _FOREIGN / "comet"
        archive = next(store.glob("*.zip"))
        slug = f"demo/{archive.stem}"
        run = self.report("comet", store)[0]
        self.assertEqual((slug, True), (run["slug"], run["whole"]))
        points = self.points(slug)
        self.assertEqual(_LOSS, points["loss"])
        self.assertEqual([[(2, 3.5)], [(1, 0.5)]], [points["nostep"], points["train_acc"]])
        self.assertIn("system/ram.total", points)
        self.assertEqual(["media", "nonfinite", "nonfinite", "text"], self.kinds(slug))
        self.assertIn("line one", [line["text"] for line in self.service.console(slug)["lines"]])
        meta = self.service.query("query.experiment", experimentSlug=slug)["meta"]
        own = [meta[key] for key in ("_name", "_tags", "lr", "net|d", "other/note")]
        self.assertEqual(["first", ["a"], 0.1, 3, "x"], own)
        self.assertEqual([2], [each["files"] for each in run["files"]])
        again = self.report("comet", store)[0]
        self.assertEqual((0, True), (again["newPoints"], again["whole"]))

        wrong = self.report("comet", self.damaged(archive, "messages.json"), "--prefix", "wrong/", code=1)[0]
        self.assertRegex(
            " ".join(wrong["problems"]), r"messages\.json:1: no message of Comet: .*the file ends within it"
        )
        self.assertEqual(_LOSS, self.points(f"wrong/{slug}")["loss"])

    def test_a_run_of_swanlab_comes_whole_and_once(self) -> None:
        store = _FOREIGN / "swanlab/swanlog"
        run = self.report("swanlab", store)[0]
        slug = run["slug"]
        self.assertEqual((True, "demo"), (run["whole"], slug.split("/")[0]))
        points = self.points(slug)
        self.assertEqual(_LOSS[:100], points["loss"])
        self.assertEqual([(step, step / 100) for step in range(100)], points["val/acc"])
        self.assertEqual([(102, 5e-324)], points["odd"])
        self.assertEqual(["media", "nonfinite", "nonfinite", "text"], self.kinds(slug))
        self.assertIn("line one", [line["text"] for line in self.service.console(slug)["lines"]])
        record = self.service.query("query.experiment", experimentSlug=slug)
        own = [record["meta"][key] for key in ("_name", "_tags", "_group", "lr", "net")]
        self.assertEqual(["notes", "done"], [record["description"], record["status"]])
        self.assertEqual(["first", ["a", "b"], "g", 0.1, {"d": 3}], own)
        again = self.report("swanlab", store)[0]
        self.assertEqual((0, True), (again["newPoints"], again["whole"]))

        shutil.copytree(store, self.directory / "swanlog")
        path = next((self.directory / "swanlog").rglob("*.swanlab"))
        content = bytearray(path.read_bytes()[:-5])
        content[2000] ^= 1
        path.write_bytes(content)
        wrong = self.report("swanlab", self.directory / "swanlog", "--prefix", "wrong/", code=1)[0]
        told = " ".join(wrong["problems"])
        self.assertRegex(told, "the checksum of a record is wrong")
        self.assertTrue(wrong["comparison"]["equal"])
        record = self.service.query("query.experiment", experimentSlug=f"wrong/{slug}")
        self.assertEqual("error", record["status"])

    def test_a_repository_of_aim_needs_its_package(self) -> None:
        command = [sys.executable, "-S", "-m", "lossless", "import", "aim", str(self.directory), "--dry-run"]
        environment = {**self.service.environment(), "PYTHONPATH": str(ROOT / "python/src")}
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(1, result.returncode)
        self.assertIn("only its package reads: pip install aim", result.stderr)


class ReadingStores(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-import-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def session(self, id: str, **more: str) -> None:
        files = {"task.json": json.dumps({"id": id, "project_name": "p", "name": "train"}), **more}
        with zipfile.ZipFile(self.directory / f"{id}.zip", "w") as file:
            for name, content in files.items():
                file.writestr(name, content)

    def test_a_session_of_clearml_keeps_its_name_when_another_one_comes(self) -> None:
        self.session("offline-bb")
        self.assertEqual(["p/train-bb"], [run.slug for run in ClearmlSessions([self.directory]).runs()])
        self.session("offline-aa")
        self.assertEqual(["p/train-aa", "p/train-bb"], [run.slug for run in ClearmlSessions([self.directory]).runs()])

    def test_lines_that_end_in_crlf_have_their_text(self) -> None:
        event = {"timestamp": 1, "level": "INFO", "msg": "one\r\n10%\r20%\r\n"}
        self.session("offline-aa", **{"log.jsonl": json.dumps([event])})
        for run in ClearmlSessions([self.directory]).runs():
            lines = [item.text for item in run.items() if isinstance(item, Line)]
            self.assertEqual(["one", "20%"], lines)

    def test_a_member_that_cannot_be_unpacked_costs_only_itself(self) -> None:
        self.session("offline-aa", **{"log.jsonl": json.dumps([{"timestamp": 1, "msg": "one"}])})
        path = self.directory / "offline-aa.zip"
        with zipfile.ZipFile(path, "a", zipfile.ZIP_LZMA) as file:
            file.writestr("bad.txt", b"x" * 100)
        content = bytearray(path.read_bytes())
        # The first bytes of its data say how it was packed.
        data = content.rindex(b"bad.txt", 0, content.index(b"PK\x01\x02")) + len("bad.txt")
        content[data + 4 : data + 12] = b"\xff" * 8
        path.write_bytes(content)
        for run in ClearmlSessions([self.directory]).runs():
            self.assertEqual(["one"], [item.text for item in run.items() if isinstance(item, Line)])
            self.assertRegex(run.problems[0], "damaged: bad.txt in ")

    def test_a_file_that_cannot_be_opened_is_told_when_it_is_read(self) -> None:
        self.session("offline-aa")
        self.session("offline-bb")
        path = self.directory / "offline-aa.zip"
        content = bytearray(path.read_bytes())
        # The version that is needed to read it.
        content[content.index(b"PK\x01\x02") + 6] = 250
        path.write_bytes(content)
        damaged, whole = ClearmlSessions([self.directory]).runs()
        self.assertEqual(["offline-aa", "p/train-bb"], [damaged.slug, whole.slug])
        with self.assertRaisesRegex(LosslessError, "is no whole zip file"):
            list(damaged.items())

    def test_a_text_that_would_fill_the_memory_is_not_read(self) -> None:
        path = self.directory / "offline-aa.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("task.json", "w") as text:
            for _ in range(65):
                text.write(b" " * 2**20)
        unpacked = self.directory / "offline-bb"
        unpacked.mkdir()
        (unpacked / "task.json").write_bytes(b" " * (64 * 2**20 + 1))
        for place in (path, unpacked):
            with self.assertRaisesRegex(LosslessError, "task.json in .* has more than 64 MiB"):
                Archive(place, KeptFiles()).text("task.json")

    def test_a_link_out_of_the_session_is_named_and_not_followed(self) -> None:
        data = self.directory / "offline-aa/data"
        data.mkdir(parents=True)
        (data.parent / "task.json").write_text('{"id": "offline-aa"}')
        (data / "own").write_text("x")
        (data / "other").symlink_to(__file__)
        for run in ClearmlSessions([self.directory]).runs():
            self.assertEqual(["own"], [file.name for file in run.files()])
            self.assertEqual(["file other"], [each.what for each in run.left_out])

    def test_secrets_are_masked_as_the_client_masks_them(self) -> None:
        source = {"remote": "https://me:secret@x.org/a.git", "command": ["python", "a.py", "--api-key", "0123456789"]}
        meta, _ = meta_of({}, Head(origin={"_source": source}), {})
        masked = {"remote": "https://x.org/a.git", "command": "python a.py --api-key '********'"}
        self.assertEqual(masked, meta["_source"])


if __name__ == "__main__":
    unittest.main()

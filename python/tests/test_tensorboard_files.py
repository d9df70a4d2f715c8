"""Event files that cannot be read, are replaced, or too many; imports that are stopped."""

from __future__ import annotations

import io
import math
import os
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import event_file
from service import WithService

from lossless._ground.errors import LosslessError
from lossless._service.http import Reply
from lossless._service.service import Service as Calls
from lossless._tensorboard.importer import Importer

AT = 1_750_000_000.125
NAME = "events.out.tfevents.1.host"


class TruncatedCalls(Calls):
    """Answers as if the experiment had more notes than can be read."""

    def call(self, method: str, path: str, *more: Any, **others: Any) -> Reply:
        reply = super().call(method, path, *more, **others)
        if path.startswith("/api/views/v1/annotations"):
            reply.body = b'{"annotations":[],"truncated":true}'
        return reply


class Files(WithService):
    def setUp(self) -> None:
        self.project = self._testMethodName
        self.root = self.service.directory / self.project
        self.root.mkdir()
        self.out = io.StringIO()
        self.calls: list[Calls] = []
        self.addCleanup(lambda: [calls.close() for calls in self.calls])

    def importer(self, kind: type[Calls] = Calls, **more: Any) -> Importer:
        self.calls.append(kind(self.service.url, lambda: self.service.key))
        return Importer(
            self.root, self.project, self.calls[-1], self.no_wait, self.out, settings=self.service.settings(), **more
        )

    def no_wait(self, _attempts: int, error: LosslessError) -> None:
        raise error

    def points(self, run: str = "run") -> dict[str, list[Any]]:
        return {
            name: [(step, value) for step, value, _ in rows]
            for name, rows in self.service.points(f"{self.project}/{run}").items()
        }

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-W", "error", "-m", "lossless", "import", "tensorboard", str(self.root), *words]

    def write(self, run: str, *steps: int, value: float = 1.0, name: str = NAME, made_at: float = AT) -> Path:
        path = self.root / run / name
        scalars = [event_file.scalar("x", value, step, AT) for step in steps]
        event_file.write(path, [event_file.version(made_at), *scalars])
        return path

    def replace(self, path: Path, contents: list[bytes]) -> None:
        """Replaces it as rsync does: written beside it and renamed."""
        other = path.with_name(".partial")
        event_file.write(other, contents)
        os.replace(other, path)

    def test_more_files_than_may_be_open(self) -> None:
        for number in range(60):
            self.write(f"r{number}", 0, value=number)
        words = ["sh", "-c", 'ulimit -n 24; exec "$@"', "sh", *self.command()]
        result = subprocess.run(
            words, env=self.service.environment(), capture_output=True, text=True, timeout=120, check=False
        )
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertEqual("60 runs, 60 points", result.stdout.splitlines()[60])
        for number in (0, 30, 59):
            self.assertEqual({"x": [(0, number)]}, self.points(f"r{number}"))

    def test_what_cannot_be_read_is_named_and_costs_nothing_else(self) -> None:
        self.write("a", 0)
        self.write("b/hidden", 0)
        self.write("c", 0)
        broken = self.root / "a" / "events.out.tfevents.2.host"
        broken.symlink_to(broken.name)
        hidden = self.root / "b" / "hidden"
        scandir = os.scandir

        def refusing(path: Any) -> Any:
            if str(path) == str(hidden):
                raise PermissionError(13, "Permission denied", str(path))
            return scandir(path)

        importer = self.importer()
        with mock.patch("os.scandir", refusing):
            importer.take()
            self.assertFalse(importer.end())
        told = self.out.getvalue()
        self.assertIn(f"{broken} cannot be read: ", told)
        self.assertIn(f"{hidden} cannot be read: Permission denied\n", told)
        self.assertEqual([{"x": [(0, 1)]}] * 2, [self.points("a"), self.points("c")])
        # The file becomes readable within one watch.
        broken.unlink()
        importer = self.importer()
        with mock.patch("os.scandir", refusing):
            importer.take()
        importer.take()
        self.assertTrue(importer.end(), self.out.getvalue())
        self.assertEqual({"x": [(0, 1)]}, self.points("b/hidden"))

    def test_a_replaced_file_counts_once(self) -> None:
        contents = [event_file.version(AT), event_file.scalar("x", math.nan, 0, AT)]
        contents += [event_file.scalar("x", 1.0, -1, AT), event_file.tensor_scalar("t", 7, b"\x01t", 0, AT, "text")]
        path = self.root / "run" / NAME
        event_file.write(path, contents)
        importer = self.importer(is_live=True)
        importer.take()
        for step in range(3):
            contents.append(event_file.scalar("x", step, step, AT))
            self.replace(path, contents)
            importer.take()
        self.assertFalse(importer.end())
        first = self.out.getvalue().splitlines()[0]
        expected = (
            "3 points stored, 2 of them earlier, 1 note of values that are not finite, 1 refused, 1 value left out"
        )
        self.assertIn(expected, first)
        self.assertEqual({"x": [(0, 0), (1, 1), (2, 2)]}, self.points())
        self.assertEqual(1, len(self.service.annotations(f"{self.project}/run")))

    def test_what_is_left_out_is_told_by_its_kind(self) -> None:
        kinds = ["images", "images", "images", "histograms", "histograms", "text", "pr_curves", "mesh", "scalars"]
        # A scalar of the plugin scalars that has no number is a text, dtype 7.
        contents = [event_file.tensor_scalar(f"a/{kind}", 7, b"\x01t", 0, AT, kind) for kind in kinds]
        for field in (4, 4, 5, 6):
            contents.append(event_file.event(1, AT, [b"\x0a\x01o" + bytes([field << 3 | 2]) + b"\x00"]))
        event_file.write(self.root / "run" / NAME, [*contents, event_file.scalar("x", 1.0, 1, AT)])
        importer = self.importer()
        importer.take()
        self.assertTrue(importer.end())
        told = self.out.getvalue()
        self.assertIn(
            "1 point stored, 13 values left out (5 images, 3 histograms, 1 text, "
            "1 PR curve, 1 mesh, 1 tensor, 1 audio)",
            told,
        )

    def test_another_file_of_the_same_name_counts_too(self) -> None:
        """A file may be renamed over it, or written into it: then only its first record differs."""
        path = self.write("run", 0)
        importer = self.importer()
        importer.take()
        self.replace(path, [event_file.version(AT + 1), event_file.scalar("x", 1.0, 1, AT)])
        importer.take()
        self.write("run", 2, 3, 4, made_at=AT + 2)
        importer.take()
        self.write("run", 5, made_at=AT + 3)
        importer.take()
        self.assertTrue(importer.end())
        self.assertIn("6 points stored\n", self.out.getvalue())
        self.assertEqual({"x": [(step, 1) for step in range(6)]}, self.points())

    def test_notes_that_cannot_all_be_read(self) -> None:
        """Whether the service has a note is unknown then, and none is stored twice."""
        path = self.write("run", 0, value=math.nan)
        importer = self.importer()
        importer.take()
        self.assertTrue(importer.end())
        event_file.append(path, event_file.record(event_file.scalar("x", 5.0, 1, AT)))
        importer = self.importer(TruncatedCalls)
        importer.take()
        self.assertFalse(importer.end())
        self.assertIn("it is unknown whether it has this one", self.out.getvalue())
        self.assertEqual(1, len(self.service.annotations(f"{self.project}/run")))
        self.assertEqual({"x": [(1, 5)]}, self.points())

    def test_links_are_followed_but_not_back(self) -> None:
        self.write("run", 0)
        self.write("elsewhere/of/it", 1)
        (self.root / "run" / "loop").symlink_to(self.root, target_is_directory=True)
        (self.root / "linked").symlink_to(self.root / "elsewhere", target_is_directory=True)
        (self.root / "elsewhere" / "back").symlink_to(self.root / "linked", target_is_directory=True)
        importer = self.importer()
        importer.take()
        self.assertTrue(importer.end())
        self.assertEqual({"run", "elsewhere/of/it", "linked/of/it"}, set(importer.runs))

    def test_an_import_that_was_stopped_goes_on(self) -> None:
        for name in "abc":
            self.write(name, *range(3))
        asked = iter([False, False, False, True, True, True])
        importer = self.importer(is_stopped=lambda: next(asked))
        importer.take()
        self.assertFalse(importer.end())
        self.assertIn("stopped early: the same command imports the rest", self.out.getvalue())
        self.assertEqual({"a", "b"}, set(importer.runs))
        status = self.service.query("query.experiment", experimentSlug=f"{self.project}/b")["status"]
        self.assertNotEqual("done", status)
        importer = self.importer()
        importer.take()
        self.assertTrue(importer.end())
        for name in "abc":
            self.assertEqual({"x": [(0, 1), (1, 1), (2, 1)]}, self.points(name))
            record = self.service.query("query.experiment", experimentSlug=f"{self.project}/{name}")
            self.assertEqual("done", record["status"])

    def test_it_can_be_stopped_while_the_service_is_down(self) -> None:
        """Patience would last for hours; the test's own limit is that of a hang."""
        self.write("run", 0)
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
            for words, number in (((), signal.SIGTERM), (("--follow",), signal.SIGINT)):
                process = subprocess.Popen(
                    self.command("--patience", "10000", *words),
                    env=self.service.environment(LOSSLESS_URL=url),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                self.addCleanup(process.kill)
                assert process.stdout is not None
                self.assertIn("waiting: ", process.stdout.readline())
                process.send_signal(number)
                _, told = process.communicate(timeout=60)
                self.assertEqual(1, process.returncode)
                self.assertRegex(told, "^lossless: .*127.0.0.1.*\n$")


if __name__ == "__main__":
    unittest.main()

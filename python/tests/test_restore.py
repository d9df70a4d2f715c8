"""Restores that are interrupted go on, and lose neither what was there nor what comes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from service import ROOT
from test_artifacts import MEBI, Case, told

import lossless
from lossless._artifacts import restore as _restore
from lossless._artifacts import restore_directory, stored_files

# Ends as by `kill -9` at the request for the range of this number; ranges come one by one.
_KILLED_AT = """
    import os, signal, sys, lossless
    from lossless._artifacts import restore as _restore
    from lossless._artifacts import restore_directory as _restore_directory
    _restore_directory._SAVE_EVERY_SECONDS = 0
    fetch_range = _restore.Restore._fetch_range
    def dying(self, range):
        if range.number == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        fetch_range(self, range)
    _restore.Restore._fetch_range = dying
    lossless.load_artifact(sys.argv[1], sys.argv[2], parallel=1)
"""
# Ends so between the two renames of a system without an atomic exchange.
_KILLED_BETWEEN = """
    import os, signal, sys, lossless
    from lossless._artifacts import restore_directory as _restore_directory
    _restore_directory._exchanged = lambda *_: False
    rename = os.rename
    def dying(before, after):
        rename(before, after)
        if str(after).endswith("replaced"):
            os.kill(os.getpid(), signal.SIGKILL)
    os.rename = dying
    lossless.load_artifact(sys.argv[1], sys.argv[2], replace=True)
"""


class Restores(Case):
    def setUp(self) -> None:
        super().setUp()
        self.back = self.directory / "back"

    def killed(self, script: str, *words: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python/src")}
        command = [sys.executable, "-c", textwrap.dedent(script), self.artifact, str(self.back), *words]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(-9, result.returncode, result.stderr)
        self.assertFalse(self.back.exists())

    def hidden(self) -> list[Path]:
        return list(self.directory.glob(".back.lossless-load-*"))

    def load(self, **more: Any) -> tuple[lossless.LoadedVersion, list[tuple[int, int]]]:
        """Restores, and also returns the fetched ranges."""
        fetch_range, fetched = _restore.Restore._fetch_range, []

        def counted(restore: Any, range: Any) -> None:
            fetched.append((range.file, range.number))
            fetch_range(restore, range)

        with mock.patch.object(_restore.Restore, "_fetch_range", counted):
            loaded = lossless.load_artifact(self.artifact, self.back, **more)
        self.assertEqual([], self.hidden())
        return loaded, sorted(fetched)

    def saved(self, seed: int) -> Path:
        root = self.files(big=random.Random(seed).randbytes(50 * MEBI), empty=b"", small=b"s")
        lossless.save_artifact(root, self.artifact)
        return root

    def test_what_was_killed_goes_on(self) -> None:
        root = self.saved(1)
        self.killed(_KILLED_AT, "2")
        loaded, fetched = self.load()
        self.assertEqual([(0, 2), (0, 3), (2, 0)], fetched)
        self.assertEqual((True, True), (loaded.resumed, loaded.verified))
        self.assertEqual(self.contents(root), self.contents(self.back))

    def test_what_was_damaged_meanwhile_is_fetched_again(self) -> None:
        root = self.saved(2)
        self.killed(_KILLED_AT, "2")
        with open(self.hidden()[0] / "content" / "big", "r+b") as file:
            file.seek(MEBI)
            file.write(b"?" * 100)
        loaded, fetched = self.load()
        self.assertEqual([0, 0, 0, 0, 0, 0, 2], [file for file, _ in fetched])
        self.assertEqual(self.contents(root), self.contents(self.back))
        self.assertTrue(loaded.verified)

    def test_without_checksums_nothing_is_taken_from_before(self) -> None:
        root = self.saved(3)
        self.killed(_KILLED_AT, "3")
        loaded, fetched = self.load(verify=False)
        self.assertEqual(5, len(fetched))
        self.assertFalse(loaded.verified)
        self.assertEqual(self.contents(root), self.contents(self.back))

    def test_of_another_version_nothing_is_taken(self) -> None:
        self.saved(4)
        self.killed(_KILLED_AT, "2")
        root = self.saved(5)
        loaded, fetched = self.load()
        self.assertEqual((False, 5), (loaded.resumed, len(fetched)))
        self.assertEqual(self.contents(root), self.contents(self.back))

    def test_after_a_failure_it_goes_on_too(self) -> None:
        root = self.saved(6)
        range_of = stored_files._range_of

        def failing(connections: Any, url: str, start: int, end: int, size: int) -> Iterator[bytes]:
            if start >= 32 * MEBI:
                raise lossless.StoreFailed("away", None)
            return range_of(connections, url, start, end, size)

        with (
            mock.patch.object(stored_files, "_range_of", failing),
            mock.patch.object(stored_files, "_PATIENCE_SECONDS", 0.0),
        ):
            with self.assertRaises(lossless.StoreFailed):
                lossless.load_artifact(self.artifact, self.back, parallel=1)
        self.assertEqual(1, len(self.hidden()))
        loaded, fetched = self.load()
        self.assertEqual([(0, 2), (0, 3), (2, 0)], fetched)
        self.assertTrue(loaded.resumed)
        self.assertEqual(self.contents(root), self.contents(self.back))

    def test_what_is_replaced_is_never_gone(self) -> None:
        """Killed between two renames: the next restore puts back what was there, first of all."""
        root = self.files(a=b"new")
        lossless.save_artifact(root, self.artifact)
        for is_replacing in (False, True):
            self.back.mkdir(exist_ok=True)
            (self.back / "old").write_bytes(b"precious")
            self.killed(_KILLED_BETWEEN)
            with self.subTest(is_replacing=is_replacing):
                if is_replacing:
                    self.load(replace=True)
                    self.assertEqual({"a": b"new"}, self.contents(self.back))
                else:
                    with self.assertRaisesRegex(lossless.LosslessError, "not empty"):
                        lossless.load_artifact(self.artifact, self.back)
                    self.assertEqual({"old": b"precious"}, self.contents(self.back))

    def test_what_was_put_aside_is_kept_where_there_is_something_new(self) -> None:
        lossless.save_artifact(self.files(a=b"new"), self.artifact)
        self.back.mkdir()
        (self.back / "old").write_bytes(b"precious")
        self.killed(_KILLED_BETWEEN)
        self.back.mkdir()
        (self.back / "own").write_bytes(b"mine")
        with told():
            lossless.load_artifact(self.artifact, self.back, replace=True)
        self.assertEqual({"a": b"new"}, self.contents(self.back))
        self.assertEqual(b"precious", (self.hidden()[0] / "replaced" / "old").read_bytes())

    @unittest.skipUnless(sys.platform == "linux", "only Linux is asked to exchange two names")
    def test_names_are_exchanged_at_once(self) -> None:
        lossless.save_artifact(self.files(a=b"new"), self.artifact)
        self.back.mkdir()
        (self.back / "old").write_bytes(b"old")
        renamed: list[str] = []
        rename = os.rename

        def noted(before: Any, after: Any) -> None:
            renamed.append(str(after))
            rename(before, after)

        with mock.patch.object(os, "rename", noted):
            self.load(replace=True)
        self.assertEqual([], renamed)
        self.assertEqual({"a": b"new"}, self.contents(self.back))
        with mock.patch.object(restore_directory, "_exchanged", return_value=False):
            self.load(replace=True)
        self.assertEqual({"a": b"new"}, self.contents(self.back))

    def test_two_at_once_do_not_take_from_each_other(self) -> None:
        """The directory of a living process is no leftover, whatever its process id is."""
        root = self.saved(7)
        fetch_range, first_waits, may_go_on = (_restore.Restore._fetch_range, threading.Event(), threading.Event())

        def waiting(restore: Any, range: Any) -> None:
            fetch_range(restore, range)
            if not first_waits.is_set():
                first_waits.set()
                may_go_on.wait(240)

        failures: list[BaseException] = []

        def load() -> None:
            try:
                lossless.load_artifact(self.artifact, self.back, parallel=1, replace=True)
            except BaseException as error:
                failures.append(error)

        with mock.patch.object(_restore.Restore, "_fetch_range", waiting):
            thread = threading.Thread(target=load)
            thread.start()
            self.assertTrue(first_waits.wait(30))
            loaded = lossless.load_artifact(self.artifact, self.back)
            may_go_on.set()
            thread.join(240)
        self.assertEqual(([], False), (failures, loaded.resumed))
        self.assertEqual(self.contents(root), self.contents(self.back))
        self.assertEqual([], self.hidden())


if __name__ == "__main__":
    unittest.main()

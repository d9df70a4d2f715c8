"""Directories of one process are found by others after it has ended, and never before."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from without_locks import without_locks

from lossless._ground.held_directory import HeldDirectory

_PREFIX = ".held-"


@unittest.skipIf(sys.platform == "win32", "the locks of POSIX")
class Held(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="lossless-held-")
        self.addCleanup(directory.cleanup)
        self.parent, self.temporary = (Path(directory.name) / "shared", Path(directory.name) / "temporary")
        self.parent.mkdir()
        self.temporary.mkdir()
        patched = mock.patch.object(tempfile, "tempdir", str(self.temporary))
        patched.start()
        self.addCleanup(patched.stop)

    def made(self) -> HeldDirectory:
        held = HeldDirectory.made(self.parent, _PREFIX)
        self.addCleanup(held.release)
        (held.path / "content").mkdir()
        return held

    def forgotten(self) -> list[Path]:
        """Returns the abandoned directories, and releases them again."""
        found = []
        for held in HeldDirectory.forgotten(self.parent, _PREFIX):
            found.append(held.path)
            held.release()
        return found

    def found_when_released_and_removed(self) -> None:
        first, second = self.made(), self.made()
        self.assertEqual([], self.forgotten())
        first.release()
        self.assertEqual([first.path], self.forgotten())
        second.release()
        self.assertEqual(sorted([first.path, second.path]), self.forgotten())
        for held in HeldDirectory.forgotten(self.parent, _PREFIX):
            held.remove()
        self.assertEqual([], os.listdir(self.parent))
        self.assertEqual([], os.listdir(self.temporary))

    def test_found_when_its_process_has_ended(self) -> None:
        self.found_when_released_and_removed()

    @unittest.skipUnless(sys.platform == "linux", "/proc tells which file is locked")
    def test_on_a_file_system_without_locks_too(self) -> None:
        with without_locks(self.parent):
            self.found_when_released_and_removed()

    @unittest.skipUnless(sys.platform == "linux", "/proc tells which file is locked")
    def test_without_locks_that_of_another_machine_stays(self) -> None:
        with without_locks(self.parent):
            self.made()
            elsewhere = self.temporary.parent / "temporary-of-another-machine"
            elsewhere.mkdir()
            with mock.patch.object(tempfile, "tempdir", str(elsewhere)):
                self.assertEqual([], self.forgotten())
                self.assertEqual([], os.listdir(elsewhere))

    @unittest.skipUnless(sys.platform == "linux", "/proc tells which file is locked")
    def test_where_there_are_no_locks_at_all_everything_stays(self) -> None:
        with without_locks(Path("/")):
            held = self.made()
            self.assertEqual([], self.forgotten())
            held.remove()
        self.assertEqual([], os.listdir(self.parent))

    def test_a_forked_child_holds_nothing_and_removes_nothing(self) -> None:
        held = self.made()
        told, tell = os.pipe()
        waits, end = os.pipe()
        with warnings.catch_warnings():
            # Newer Pythons warn of a fork beside threads, which earlier tests may have left.
            warnings.simplefilter("ignore")
            child = os.fork()
        if child == 0:
            try:
                os.close(end)
                held.remove()
                os.write(tell, b".")
                # Until the parent has looked.
                os.read(waits, 1)
            finally:
                os._exit(0)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, end)
        os.read(told, 1)
        for each in (told, tell, waits):
            os.close(each)
        self.assertTrue((held.path / "content").is_dir())
        self.assertEqual([], self.forgotten())
        held.release()
        self.assertEqual([held.path], self.forgotten())


if __name__ == "__main__":
    unittest.main()

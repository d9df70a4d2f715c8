"""A recording whose files are removed or closed under it goes on in new ones."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))
from lossless._ground.lock import WRITER, Lock, is_recorded
from lossless._spool.cleanup import remove_if_sent
from lossless._spool.head import RunInfo, read_info, segment_path, segments
from lossless._spool.sent_state import State, write_state
from lossless._spool.spool import SpoolWriter
from lossless._spool.tail import Tail

_INFO = RunInfo("http://127.0.0.1:1", "x", None, "p" * 16, True, 0)


class RemovedSpools(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name) / "root"
        self.writer = SpoolWriter(self.root, _INFO)
        self.addCleanup(self.writer.close)
        self.directory = self.writer.directory

    def test_all_of_it_is_removed(self) -> None:
        self.write(b"1")
        shutil.rmtree(self.directory)
        self.write(b"2")
        self.assertEqual(b"2\n", self.recorded())
        self.assertEqual(_INFO, read_info(self.directory))
        self.assertTrue(is_recorded(self.directory))

    def test_its_lines_alone_are_removed(self) -> None:
        """The position in the removed file is none in the new one, which is read from its start."""
        self.write(b"1")
        segment_path(self.directory, 1).unlink()
        self.write(b"2")
        self.assertEqual([2], segments(self.directory))
        tail = Tail(self.directory, 1, len(self.writer.head) + 2)
        self.addCleanup(tail.close)
        self.assertEqual([2, 2], [placed.segment for placed in tail.read()])

    def test_made_anew_when_there_is_room_again(self) -> None:
        shutil.rmtree(self.root)
        self.root.write_text("in the way")
        for _ in range(2):
            self.assertRaises(OSError, self.write, b"1")
        self.root.unlink()
        self.write(b"2")
        self.assertEqual(b"2\n", self.recorded())

    def test_not_removed_while_somebody_records(self) -> None:
        self.sent()
        self.assertFalse(remove_if_sent(self.directory))
        self.assertTrue(self.directory.exists())

    def test_removed_by_its_sender_when_the_script_has_closed_all(self) -> None:
        self.write(b"1")
        self.sent()
        self.lose_descriptors()
        self.assertTrue(remove_if_sent(self.directory))
        self.assertFalse(self.directory.exists())
        self.write(b"2")
        self.assertEqual(b"2\n", self.recorded())

    def test_a_lock_that_stays_with_another_process(self) -> None:
        self.write(b"1")
        self.lose_descriptors()
        lock = Lock(self.directory, WRITER)
        self.write(b"2")
        lock.release()
        self.assertEqual(b"1\n2\n", self.recorded())
        self.write(b"3")
        self.assertTrue(is_recorded(self.directory))

    def test_nothing_after_the_end(self) -> None:
        self.writer.close()
        shutil.rmtree(self.directory)
        self.assertRaises(OSError, self.write, b"1")
        self.assertFalse(self.directory.exists())

    def write(self, line: bytes) -> None:
        # The writer checks its files at the next line.
        self.writer._look_at = 0.0
        self.writer.write(line + b"\n")

    def recorded(self) -> bytes:
        """Returns the bytes written after the heads."""
        content = b"".join(segment_path(self.directory, number).read_bytes() for number in segments(self.directory))
        return content.replace(self.writer.head, b"")

    def sent(self) -> None:
        write_state(self.directory, State(offset=segment_path(self.directory, 1).stat().st_size))

    def lose_descriptors(self) -> None:
        lock = self.writer._lock
        assert self.writer._file is not None and lock is not None and lock._file is not None
        os.close(self.writer._file.number)
        os.close(lock._file.number)


if __name__ == "__main__":
    unittest.main()

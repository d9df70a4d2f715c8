"""The file that remembers an upload: whether somebody is still at it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from lossless._artifacts.upload_record import UploadRecord, other_process


class Records(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def test_a_process_is_known_by_its_start_too(self) -> None:
        """An ended process's number goes to another one, after a restart to one that lives on."""
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
            process = {"host": socket.gethostname(), "id": other.pid}
            self.assertEqual(other.pid, other_process({"process": process}))
            self.assertEqual(None, other_process({"process": {**process, "host": "elsewhere"}}))
            if sys.platform == "linux":
                self.assertEqual(None, other_process({"process": {**process, "started": "another boot 1"}}))
            other.communicate(b"\n")
        self.assertEqual(None, other_process({"process": process}))

    def test_what_is_remembered(self) -> None:
        code = (
            "import sys; from pathlib import Path; from lossless._artifacts.upload_record import "
            "UploadRecord\n"
            "UploadRecord(['a'], Path(sys.argv[1])).begin({'sent': [[None]]}); print(flush=True); "
            "input()"
        )
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1] / "src")}
        words = [sys.executable, "-c", code, str(self.directory)]
        with subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            assert other.stdout is not None
            other.stdout.readline()
            state = UploadRecord(["a"], self.directory).load()
            assert state is not None
            self.assertEqual(other.pid, other_process(state))
            other.communicate(b"\n")
        self.assertEqual(None, other_process(state))
        record = UploadRecord(["a"], self.directory)
        record.begin({"sent": [[{"etag": "ä", "crc32": 1}]]})
        self.assertEqual([[{"etag": "ä", "crc32": 1}]], (record.load() or {})["sent"])
        record.release()
        (path,) = self.directory.iterdir()
        self.assertEqual(0, json.loads(path.read_text())["process"]["id"])


if __name__ == "__main__":
    unittest.main()

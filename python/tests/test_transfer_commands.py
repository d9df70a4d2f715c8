"""`python -m lossless push` and `pull`, with the service's own command line on the other side."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from service import ROOT, WithService, node


class TransferCommands(WithService):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        (self.place / "model/layers").mkdir(parents=True)
        (self.place / "model/weights.bin").write_bytes(bytes(range(256)) * 1_000)
        (self.place / "model/layers/0.txt").write_text("zero")

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        # Without a search path no other command of this name can do the work.
        environment = self.service.environment(PATH="/nonexistent")
        return subprocess.run(
            [sys.executable, "-m", "lossless", *words], cwd=self.place, env=environment, capture_output=True, text=True
        )

    def node_command(self, *words: str) -> None:
        program = [node(), str(ROOT / "cli/bin/lossless.js"), *words]
        subprocess.run(program, cwd=self.place, env=self.service.environment(), check=True, capture_output=True)

    def assert_is_model(self, directory: str) -> None:
        found = {str(path.relative_to(self.place / directory)): path for path in (self.place / directory).rglob("*")}
        self.assertEqual(found["weights.bin"].read_bytes(), bytes(range(256)) * 1_000)
        self.assertEqual(found["layers/0.txt"].read_text(), "zero")

    def test_what_one_pushes_the_other_pulls(self) -> None:
        pushed = self.command("push", "model", "runs/a", "--meta", "lr=0.1", "--meta", "note=good one", "--json")
        self.assertEqual(pushed.returncode, 0, pushed.stderr)
        answer = json.loads(pushed.stdout)
        self.assertEqual((answer["version"], answer["files"]), ("000000000001", 2))
        self.node_command("pull", "runs/a", "by-node")
        self.assert_is_model("by-node")
        self.node_command("push", "model", "runs/a")
        pulled = self.command("pull", "runs/a", "--version", "2")
        self.assertEqual(pulled.returncode, 0, pulled.stderr)
        self.assertRegex(pulled.stdout, r"^runs/a 000000000002 is in \S+/a, checksums right: 2 files, 256,004 bytes$")
        self.assert_is_model("a")
        first = self.command("pull", "runs/a", "first", "--version", "1", "--json")
        self.assertEqual(json.loads(first.stdout)["meta"]["note"], "good one")

    def test_a_version_that_is_called_by_a_short_number_is_meant(self) -> None:
        self.command("push", "model/layers/0.txt", "runs/short", "--version", "7").check_returncode()
        pulled = self.command("pull", "runs/short", "--version", "7", "--json")
        self.assertEqual(json.loads(pulled.stdout)["version"], "7")

    def test_refusals_are_one_sentence(self) -> None:
        for words, code, told in (
            (("push", "nothing-here", "runs/b"), 1, "nothing-here"),
            (("pull", "runs/none"), 1, "runs/none"),
            (("push", "model", "runs/b", "--meta", "alone"), 1, "--meta must be K=V"),
            (("pull", "runs/none", "--parallel", "0"), 2, "from 1 to 64"),
            (("push", "model"), 2, "artifact"),
        ):
            refused = self.command(*words)
            self.assertEqual(refused.returncode, code, refused.stderr)
            self.assertIn(told, refused.stderr)
            self.assertNotIn("Traceback", refused.stderr)
            self.assertEqual(refused.stdout, "")


if __name__ == "__main__":
    unittest.main()

"""
Scripts in the style of W&B's quickstarts and examples, with `import lossless as wandb` for their
import, against the real service: no exception, and what they have logged is read back equal.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from scripts import Scripts
from service import ROOT

_SCRIPTS = sorted((ROOT / "python/tests/wandb_scripts").glob("*.py"))


class ScriptsForWandb(Scripts):
    def test_they_run_and_their_points_are_read_back(self) -> None:
        self.assertEqual(10, len(_SCRIPTS))
        for script in _SCRIPTS:
            with self.subTest(script.stem):
                self.check(script)

    def check(self, script: Path) -> None:
        """A script's last line has the curves of each of its runs, in the order of their steps."""
        self.assertTrue(script.read_text().startswith("import lossless as wandb\n"))
        with tempfile.TemporaryDirectory() as directory:
            result = subprocess.run(
                [sys.executable, str(script)],
                env=self.service.environment(spool=script.stem),
                cwd=directory,
                capture_output=True,
                text=True,
                timeout=120,
            )
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertNotRegex(result.stderr, "Traceback|failed: ")
        for slug, curves in json.loads(result.stdout.splitlines()[-1]).items():
            record = self.service.query("query.experiment", experimentSlug=slug)
            self.assertEqual(("done", None), (record["status"], record["error"]), slug)
            stored = self.service.points(slug)
            self.assertEqual(curves, {name: [value for _, value, _ in stored.get(name, [])] for name in curves}, slug)
            for name, rows in stored.items():
                self.assertEqual(
                    len(rows), len({step for step, _, _ in rows}), f"{slug}: {name}: a value for each step"
                )
            self.check_more(script.stem, slug, record["meta"])

    def check_more(self, script: str, slug: str, config: dict[str, Any]) -> None:
        if script == "careful":
            kinds = [note["meta"].get("kind") for note in self.service.annotations(slug)]
            self.assertEqual(["alert", "alert", "nonfinite", "nonfinite", "text"], sorted(kinds))
        if script == "media":
            media = [
                note["meta"]["_media"] for note in self.service.annotations(slug) if note["meta"]["kind"] == "media"
            ]
            kinds = {kind: sum(each["kind"] == kind for each in media) for kind in {each["kind"] for each in media}}
            self.assertEqual({"image": 6, "histogram": 3, "audio": 3, "html": 3, "table": 1, "plot": 2}, kinds)
        if script == "command_line":
            expected = {"epochs": 4, "batch_size": 32, "lr": 1e-3, "no_cuda": False, "seed": 1}
            self.assertEqual(expected, {name: config.get(name) for name in expected})


if __name__ == "__main__":
    unittest.main()

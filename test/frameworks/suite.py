"""
Runs each program of `programs/` as its users would, in a directory of its own, and compares what is
stored with what the program says that its library kept. The service is that of the environment.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from typing import Any

from lossless import Reader

PROGRAMS = pathlib.Path(__file__).parent / "programs"


class Frameworks(unittest.TestCase):
    maxDiff = None

    def check(self, name: str) -> None:
        reader = Reader()
        before = {each["slug"] for each in reader.experiments()}
        expected = self.told_by(name)
        found = [each["slug"] for each in reader.experiments() if each["slug"] not in before]
        self.assertEqual(len(expected), len(found), f"one experiment each: {found}")
        records = {slug: reader.experiment(slug) for slug in found}
        for run in expected:
            [slug] = [slug for slug in found if run["name"] in (slug, records[slug]["meta"].get("_name"))]
            self.compare(reader, slug, records[slug], run)

    def told_by(self, name: str) -> list[dict[str, Any]]:
        """The last line of a program's output has its runs, as a list."""
        with tempfile.TemporaryDirectory(prefix=f"lossless-{name}-") as directory:
            quiet = {"CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
            own = {"LOSSLESS_SPOOL": f"{directory}/spool", "YOLO_CONFIG_DIR": f"{directory}/settings"}
            result = subprocess.run(
                [sys.executable, str(PROGRAMS / f"{name}.py")],
                env={
                    **os.environ,
                    "LOSSLESS_AS_WANDB": "1",
                    "LOSSLESS_SYSTEM": "off",
                    **quiet,
                    **own,
                },
                cwd=directory,
                capture_output=True,
                text=True,
                timeout=900,
            )
        self.assertEqual(0, result.returncode, result.stderr[-6_000:])
        self.assertNotIn("Traceback", result.stderr)
        told: list[dict[str, Any]] = json.loads(result.stdout.splitlines()[-1])
        for line in result.stderr.splitlines():
            if "Warning: lossless" in line:
                print("   ", line.partition("Warning: ")[2])
        return told

    def compare(self, reader: Reader, slug: str, record: Any, run: dict[str, Any]) -> None:
        self.assertEqual(("done", None), (record["status"], record["error"]), slug)
        stored = {
            name: [[int(step), float(value)] for step, value in zip(series.step, series.value)]
            for name, series in reader.all_series(slug).items()
        }
        self.assertEqual(sorted(run["points"]), sorted(stored))
        for name, points in run["points"].items():
            self.assertEqual(points, sorted(stored[name]), name)
        for key, value in run.get("config", {}).items():
            self.assertEqual(value, record["meta"].get(key), key)
        media = Counter()
        for series in reader.logged.names(slug):
            media[series["kind"]] += series["items"]
        self.assertEqual(run.get("media", {}), dict(media))
        count = sum(map(len, stored.values()))
        print(f"    {slug}: {count} points of {len(stored)} series equal, media {dict(media) or 'none'}")


def _added() -> None:
    for path in sorted(PROGRAMS.glob("*.py")):
        if not path.stem.startswith("_"):
            setattr(Frameworks, f"test_{path.stem}", lambda self, name=path.stem: self.check(name))


_added()

"""Tests that run scripts, each a process of its own, against the real service."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from typing import Any

from service import Service


class ScriptCase(unittest.TestCase):
    """One service for the class; every test has a spool of its own."""

    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.service.close()

    def environment(self, **variables: str) -> dict[str, str]:
        return self.service.environment(spool=self._testMethodName, **variables)

    def run_script(self, text: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """As a file, so that processes can be spawned from it."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "train.py"
            path.write_text(textwrap.dedent(text))
            return subprocess.run(
                [sys.executable, str(path), *words],
                env=self.environment(**variables),
                capture_output=True,
                text=True,
                timeout=120,
            )

    def script(self, text: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Must end well."""
        result = self.run_script(text, *words, **variables)
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def sync(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lossless", "sync", *words],
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def spool(self) -> Path:
        return self.service.directory / self._testMethodName

    def spools(self) -> list[str]:
        return sorted(os.listdir(self.spool())) if self.spool().is_dir() else []

    def record(self, slug: str) -> Any:
        return self.service.query("query.experiment", experimentSlug=slug)

    def until(self, condition: Any, what: str) -> None:
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                self.fail(f"not within a minute: {what}")
            time.sleep(0.05)

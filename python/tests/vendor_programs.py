"""Doubles of vendors' programs, which print what the real ones are documented to."""

from __future__ import annotations

import os
import shutil
import tempfile
import textwrap
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import mock

_DOUBLES = Path(__file__).parent / "machines"


class WithPrograms(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.bin = Path(directory.name)
        self.environment(PATH=f"{self.bin}:{os.environ['PATH']}")

    def environment(self, **variables: str) -> None:
        """Sets variables until the end of the test."""
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def double(self, name: str) -> str:
        return str(shutil.copy(_DOUBLES / name, self.bin))

    def program(self, name: str, text: str) -> str:
        """Makes a program of a shell script."""
        path = self.bin / name
        path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
        path.chmod(0o700)
        return str(path)

    def printing(self, name: str, output: str) -> str:
        """Makes a program that prints this and nothing else."""
        return self.program(name, f"cat <<'END_OF_IT'\n{textwrap.dedent(output).strip()}\nEND_OF_IT\n")

    def calls(self, name: str, text: str) -> Callable[[], int]:
        """Makes a program that counts its calls, and returns their counter."""
        path = self.program(name, f'echo x >> "$0.calls"\n{text}')
        counted = Path(f"{path}.calls")
        return lambda: len(counted.read_text().splitlines()) if counted.exists() else 0

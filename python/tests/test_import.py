"""Importing the package loads only modules that are small, or loaded already."""

from __future__ import annotations

import subprocess
import sys
import unittest

from service import ROOT

_HEAVY = (
    "asyncio",
    "dataclasses",
    "email",
    "hashlib",
    "http.client",
    "logging",
    "random",
    "socket",
    "ssl",
    "subprocess",
)
_OURS = (
    "lossless._recording.experiment",
    "lossless._reading",
    "lossless._artifacts",
    "lossless._wandb",
    "lossless.wire",
)


class Import(unittest.TestCase):
    def test_nothing_heavy_is_loaded_before_it_is_used(self) -> None:
        # `site` is left out, which loads some of them itself on many machines.
        path = str(ROOT / "python/src")
        text = f"import sys; sys.path.insert(0, {path!r}); import lossless; print(*sys.modules)"
        result = subprocess.run([sys.executable, "-I", "-S", "-c", text], capture_output=True, text=True, timeout=60)
        self.assertEqual("", result.stderr)
        loaded = set(result.stdout.split())
        self.assertIn("lossless._recording.init", loaded)
        self.assertEqual(set(), loaded & {*_HEAVY, *_OURS})


if __name__ == "__main__":
    unittest.main()

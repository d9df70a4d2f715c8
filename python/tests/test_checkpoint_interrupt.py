"""Ctrl-C in a call of checkpoint(): it goes on, and what was not copied is counted."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from fake_torch import Tensor, Torch

from lossless._saving.checkpoint import Checkpoints
from lossless._saving.patience import Patience


class Interrupted(Tensor):
    def detach(self) -> Tensor:
        raise KeyboardInterrupt


class Interrupt(unittest.TestCase):
    def setUp(self) -> None:
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        directory = tempfile.mkdtemp(prefix="lossless-test-")
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        stack.enter_context(mock.patch.dict(sys.modules, torch=Torch()))
        stack.enter_context(mock.patch.object(tempfile, "tempdir", directory))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        self.saved: list[int | None] = []
        self.checkpoints = Checkpoints(f"{self.id()} {id(self)}", self.save, Patience())

    def save(self, _path: Path, step: int | None, _meta: Any) -> None:
        self.saved.append(step)

    def test_while_the_state_is_copied(self) -> None:
        with self.assertRaises(KeyboardInterrupt):
            self.checkpoints.take({"w": Interrupted([1.0])}, 1, None)
        lost = [{"artifact": mock.ANY, "step": 1, "reason": "KeyboardInterrupt", "file": None}]
        self.assertEqual((1, lost), self.checkpoints.unsaved())
        self.checkpoints.take({"w": Tensor([1.0])}, 2, None).wait(30)
        self.assertEqual([2], self.saved)
        self.checkpoints.wait(30)
        self.assertEqual((1, lost), self.checkpoints.unsaved())

    def test_when_the_thread_runs_already_or_does_not(self) -> None:
        """A checkpoint is saved or lost, never both, and the next one is not held."""
        start = threading.Thread.start

        def interrupted(thread: threading.Thread) -> None:
            if number % 2:
                start(thread)
                thread.join(30)
            raise KeyboardInterrupt

        for number in range(4):
            with mock.patch.object(threading.Thread, "start", interrupted), self.assertRaises(KeyboardInterrupt):
                self.checkpoints.take({"w": Tensor([1.0])}, number, None)
        count, lost = self.checkpoints.unsaved()
        self.assertEqual((2, [0, 2], [1, 3]), (count, [one["step"] for one in lost], self.saved))


if __name__ == "__main__":
    unittest.main()

"""A save that takes long costs a training one wait, and skips no checkpoint silently."""

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

import lossless
from lossless._saving import checkpoint
from lossless._saving.checkpoint import Checkpoints, PendingCheckpoint
from lossless._saving.patience import Patience

_FOR_EVER = 3_600.0


class Hold(unittest.TestCase):
    def setUp(self) -> None:
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        directory = tempfile.mkdtemp(prefix="lossless-test-")
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        stack.enter_context(mock.patch.dict(sys.modules, torch=Torch()))
        stack.enter_context(mock.patch.object(tempfile, "tempdir", directory))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        self.saved: list[int | None] = []
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)
        self.checkpoints = Checkpoints(f"{self.id()} {id(self)}", self.save, Patience())

    def save(self, _path: Path, step: int | None, _meta: Any) -> None:
        """The service takes it, slowly."""
        self.begun.release()
        self.assertTrue(self.may_end.acquire(timeout=60))
        self.saved.append(step)

    def take(self, *steps: int) -> list[PendingCheckpoint]:
        """Takes them in a thread: a loop that is held does not hold the test."""
        taken: list[PendingCheckpoint] = []
        state = {"w": Tensor([1.0])}
        loop = threading.Thread(
            target=lambda: taken.extend(self.checkpoints.take(state, step, None) for step in steps), daemon=True
        )
        loop.start()
        loop.join(30)
        self.assertFalse(loop.is_alive(), f"the loop is held: {len(taken)} of {len(steps)} are taken")
        return taken

    def wait_until_skipped(self, pending: PendingCheckpoint) -> None:
        """Waits until the newer one, which is written beside the loop, has taken its place."""
        with self.assertRaisesRegex(lossless.LosslessError, "^skipped"):
            pending.wait(30)

    def test_a_save_that_takes_longer_than_the_hold_costs_one_hold(self) -> None:
        with mock.patch.object(checkpoint, "_HOLD_SECONDS", 0.01):
            taken = self.take(0)
            self.assertTrue(self.begun.acquire(timeout=30))
            taken += self.take(1, 2, 3)
            self.wait_until_skipped(taken[2])
            self.may_end.release()
            taken[0].wait(30)
        # The next one takes long too: a loop that was held now would be held again for each save.
        with mock.patch.object(checkpoint, "_HOLD_SECONDS", _FOR_EVER):
            self.assertTrue(self.begun.acquire(timeout=30))
            taken += self.take(4, 5)
            self.wait_until_skipped(taken[4])
            self.may_end.release(1_000)
            for number in (3, 5):
                taken[number].wait(30)
            # Shorter than the hold: from now on none is skipped.
            for pending in self.take(*range(6, 26)):
                pending.wait(30)
        self.assertEqual([0, 3, 5, *range(6, 26)], self.saved)
        for number in (1, 2, 4):
            with self.assertRaisesRegex(lossless.LosslessError, "^skipped: a newer one replaced it"):
                taken[number].wait(30)
        count, named = self.checkpoints.unsaved()
        self.assertEqual((3, [1, 2, 4]), (count, [one["step"] for one in named]))
        self.assertTrue(all(one["reason"].startswith("skipped: ") for one in named))


if __name__ == "__main__":
    unittest.main()

"""Checkpoints of real PyTorch states. Without torch, what of it needs none, and a sentence that says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from service import Service

import lossless
from lossless._checkpoint import Checkpoints


class Tensor:
    """As much of a tensor as is looked at."""

    device = dtype = "x"
    shape = (2,)

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def data_ptr(self) -> int:
        return id(self.values)

    def stride(self) -> int:
        return 1

    def numel(self) -> int:
        return len(self.values)

    def detach(self) -> Tensor:
        return self

    def to(self, _device: str, copy: bool) -> Tensor:
        assert copy
        return Tensor(list(self.values))


class Torch:
    """Writes text; waits until it may."""

    def __init__(self) -> None:
        self.may_save = threading.Event()

    Tensor = Tensor

    def save(self, state: Any, path: Path) -> None:
        self.may_save.wait(30)
        path.write_text(str(state["w"].values))


class WithoutTorch(unittest.TestCase):
    def setUp(self) -> None:
        before = sys.modules.get("torch")
        self.torch: Any = Torch()
        sys.modules["torch"] = self.torch
        self.addCleanup(lambda: sys.modules.update(torch=before) if before else sys.modules.pop("torch"))

    def test_the_state_is_that_of_the_call(self) -> None:
        """Training changes the tensors while they are written."""
        written: list[str] = []

        def save(path: Path, step: int | None, meta: Any) -> None:
            written.append(f"{path.name} {path.read_text()} {step}")

        weights = Tensor([1.0, 2.0])
        checkpoints = Checkpoints("a", save)
        pending = checkpoints.take({"w": weights}, 5, None)
        weights.values[0] = 9.0
        with self.assertRaises(TimeoutError):
            pending.wait(0.01)
        self.assertFalse(pending.is_done)
        self.torch.may_save.set()
        pending.wait(30)
        checkpoints.take({"w": weights}, 6, None).wait(30)
        self.assertEqual(["checkpoint.pt [1.0, 2.0] 5", "checkpoint.pt [9.0, 2.0] 6"], written)

    def test_what_fails_is_raised_by_wait(self) -> None:
        def save(path: Path, step: int | None, meta: Any) -> None:
            raise lossless.Superseded("stop", 3)

        self.torch.may_save.set()
        pending = Checkpoints(f"b{id(self)}", save).take({"w": Tensor([1.0])}, None, None)
        with self.assertRaises(lossless.Superseded):
            pending.wait(30)

    def test_torch_is_needed_and_a_recording(self) -> None:
        with self.assertRaisesRegex(lossless.LosslessError, "before init"):
            lossless.checkpoint({})
        sys.modules["torch"] = None  # type: ignore[assignment]
        with self.assertRaisesRegex(lossless.LosslessError, "not installed"):
            Checkpoints("c", lambda *_: None).take({}, None, None)


@unittest.skipUnless(find_spec("torch"), "torch is not installed: no real state dict is saved here")
class WithTorch(unittest.TestCase):
    def test_a_training_is_restored_to_the_bit(self) -> None:
        """Adam with momentum, tied weights, saved every 20 steps while the training goes on, restored, continued."""
        script = """
            import sys, torch, lossless
            torch.manual_seed(1)
            def made():
                model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 8))
                model[2].weight = model[0].weight
                return model, torch.optim.Adam(model.parameters(), lr=1e-2)
            inputs = torch.randn(64, 8)
            def train(model, optimizer, steps):
                for _ in range(steps):
                    loss = ((model(inputs) - inputs.roll(1, 1)) ** 2).mean()
                    optimizer.zero_grad(); loss.backward(); optimizer.step()
                return loss.item()
            model, optimizer = made()
            losses = []
            with lossless.init("torch", "net") as run:
                for step in range(0, 100, 20):
                    losses.append(train(model, optimizer, 20))
                    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 20}
                    pending = lossless.checkpoint(state, step=step + 20)
                assert pending.wait(60).version == "000000000100"
            lossless.load_artifact("torch/net/checkpoint", sys.argv[1], "000000000060")
            state = torch.load(sys.argv[1] + "/checkpoint.pt", weights_only=True)
            model, optimizer = made()
            model.load_state_dict(state["model"]); optimizer.load_state_dict(state["optimizer"])
            assert state["step"] == 60
            assert [train(model, optimizer, 20) for _ in range(2)] == losses[3:]
        """
        directory = tempfile.mkdtemp(prefix="lossless-checkpoint-test-")
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        with Service() as service:
            result = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(script), os.path.join(directory, "back")],
                env=service.environment(),
                capture_output=True,
                text=True,
                timeout=300,
            )
            self.assertEqual(0, result.returncode, result.stderr)
            notes = [each["meta"]["version"] for each in service.annotations("torch/net")]
        self.assertEqual([f"{step:012d}" for step in range(20, 101, 20)], notes)


if __name__ == "__main__":
    unittest.main()

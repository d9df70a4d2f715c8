"""Checkpoints of real PyTorch states; without torch, what needs none, and a sentence."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import weakref
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

from fake_torch import Tensor, Torch
from service import ROOT, Service

import lossless
from lossless._saving import checkpoint
from lossless._saving.checkpoint import Checkpoints
from lossless._saving.patience import Patience


class WithoutTorch(unittest.TestCase):
    def setUp(self) -> None:
        before = sys.modules.get("torch")
        self.torch = Torch()
        modules: Any = sys.modules
        modules["torch"] = self.torch
        self.addCleanup(lambda: sys.modules.update(torch=before) if before else sys.modules.pop("torch"))
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-test-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(mock.patch.object(tempfile, "tempdir", str(self.directory)))
        stack.enter_context(mock.patch.object(checkpoint, "delay", return_value=0.0))
        # Output is caught: notices are warnings, and here warnings are errors.
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        self.saved: list[str] = []

    def checkpoints(self, save: Any = None) -> Checkpoints:
        return Checkpoints(f"{self.id()} {id(self)}", save or self.save, Patience())

    def save(self, path: Path, step: int | None, _meta: Any) -> None:
        self.saved.append(f"{path.name} {path.read_text()} {step}")

    def test_the_state_is_that_of_the_call(self) -> None:
        """Training changes the tensors while they are written."""
        self.torch.may_save.clear()
        weights = Tensor([1.0, 2.0])
        checkpoints = self.checkpoints()
        pending = checkpoints.take({"w": weights}, 5, None)
        weights.values[0] = 9.0
        with self.assertRaises(TimeoutError):
            pending.wait(0.01)
        self.assertFalse(pending.is_done)
        self.torch.may_save.set()
        pending.wait(30)
        checkpoints.take({"w": weights}, 6, None).wait(30)
        self.assertEqual(['checkpoint.pt {"w": [1.0, 2.0]} 5', 'checkpoint.pt {"w": [9.0, 2.0]} 6'], self.saved)
        checkpoints.wait(30)
        self.assertEqual((0, []), checkpoints.unsaved())
        self.assertEqual([], os.listdir(self.directory))

    def test_what_fails_is_raised_by_wait_and_counted(self) -> None:
        def save(path: Path, step: int | None, meta: Any) -> None:
            raise lossless.Superseded("stop", 3)

        checkpoints = self.checkpoints(save)
        for step in range(3):
            with self.assertRaises(lossless.Superseded):
                checkpoints.take({"w": Tensor([1.0])}, step, None).wait(30)
        count, named = checkpoints.unsaved()
        self.assertEqual((3, [0, 1, 2]), (count, [one["step"] for one in named]))
        self.assertEqual([], os.listdir(self.directory))

    def test_what_cannot_be_copied_is_lost_and_nothing_is_raised(self) -> None:
        class Broken(Tensor):
            def detach(self) -> Tensor:
                raise MemoryError("no memory")

        checkpoints = self.checkpoints()
        with self.assertRaises(MemoryError):
            checkpoints.take({"w": Broken([1.0])}, 1, None).wait(0)
        checkpoints.take({"w": Tensor([1.0])}, 2, None).wait(30)
        self.assertEqual(1, checkpoints.unsaved()[0])

    def test_what_may_pass_is_tried_again(self) -> None:
        failures = [
            lossless.ConnectionFailed("away"),
            lossless.StoreFailed("full", 507),
            lossless.RequestRefused("none", 409, "not_ready"),
            lossless.RequestRefused("expired", 404, "not_found"),
            lossless.RequestRefused("a key that is replaced", 401, "unauthorized"),
            lossless.RequestRefused("its rights", 403, "forbidden"),
            *[lossless.RequestRefused("a gateway", 404, "http_404")] * 9,
        ]

        def save(path: Path, step: int | None, meta: Any) -> None:
            if failures:
                raise failures.pop(0)
            self.save(path, step, meta)

        checkpoints = self.checkpoints(save)
        checkpoints.take({"w": Tensor([1.0])}, 1, None).wait(30)
        self.assertEqual(1, len(self.saved))
        failures += [lossless.RequestRefused("gone", 404, "not_found")] * 9
        with self.assertRaises(lossless.RequestRefused):
            checkpoints.take({"w": Tensor([1.0])}, 2, None).wait(30)

    def test_a_service_that_is_away_holds_the_loop_once(self) -> None:
        """The one under way and the newest are saved, and those between are counted."""
        begun, back = threading.Event(), threading.Event()

        def save(path: Path, step: int | None, meta: Any) -> None:
            begun.set()
            back.wait(30)
            self.save(path, step, meta)

        checkpoints = self.checkpoints(save)
        with mock.patch.object(checkpoint, "_HOLD_SECONDS", 0.01):
            taken = [checkpoints.take({"w": Tensor([0.0])}, 0, None)]
            # Until it is under way, the next one would take its place.
            self.assertTrue(begun.wait(30))
            taken += [checkpoints.take({"w": Tensor([float(step)])}, step, None) for step in range(1, 6)]
            self.assertFalse(checkpoints._holds)
        for pending in taken[1:5]:
            with self.assertRaisesRegex(lossless.LosslessError, "newer"):
                pending.wait(30)
        count, named = checkpoints.unsaved()
        self.assertEqual(6, count)
        self.assertEqual([1, 2, 3, 4, 0, 5], [one["step"] for one in named])
        back.set()
        for pending in (taken[0], taken[5]):
            pending.wait(30)
        checkpoints.wait(30)
        self.assertEqual([0, 5], [int(line[-1]) for line in self.saved])
        self.assertEqual((4, True), (checkpoints.unsaved()[0], checkpoints._holds))

    def test_a_loop_that_is_faster_than_the_service_waits(self) -> None:
        checkpoints = self.checkpoints()
        taken = [checkpoints.take({"w": Tensor([1.0])}, step, None) for step in range(20)]
        taken[-1].wait(30)
        self.assertEqual(20, len(self.saved))

    def test_the_copy_is_freed_when_the_file_is_there(self) -> None:
        sending, may_end = threading.Event(), threading.Event()
        copies: list[weakref.ref[Any]] = []

        class Watched(Tensor):
            def to(self, device: str, copy: bool) -> Tensor:
                copied = super().to(device, copy)
                copies.append(weakref.ref(copied))
                return copied

        def save(path: Path, step: int | None, meta: Any) -> None:
            sending.set()
            may_end.wait(30)

        pending = self.checkpoints(save).take({"w": Watched([1.0])}, 1, None)
        self.assertTrue(sending.wait(30))
        gc.collect()
        self.assertIsNone(copies[0]())
        may_end.set()
        pending.wait(30)

    def test_the_file_of_the_newest_that_failed_is_kept(self) -> None:
        fails = True

        def save(path: Path, step: int | None, meta: Any) -> None:
            if fails:
                raise lossless.RequestRefused("no", 422, "invalid")

        checkpoints = self.checkpoints(save)
        for step in (1, 2):
            pending = checkpoints.take({"w": Tensor([float(step)])}, step, None)
            with self.assertRaises(lossless.RequestRefused):
                pending.wait(30)
        _, named = checkpoints.unsaved()
        self.assertEqual('{"w": [2.0]}', Path(named[1]["file"]).read_text())
        self.assertEqual((None, 1), (named[0]["file"], len(os.listdir(self.directory))))
        fails = False
        checkpoints.take({"w": Tensor([3.0])}, 3, None).wait(30)
        checkpoints.wait(30)
        self.assertEqual([None, None], [one["file"] for one in checkpoints.unsaved()[1]])
        self.assertEqual([], os.listdir(self.directory))

    def test_what_a_killed_process_left_is_swept_and_a_child_takes_nothing(self) -> None:
        """A forked child keeps the parent's file; the file of a killed parent is removed."""
        script = """
            import os, signal, sys, threading
            from fake_torch import Tensor, Torch
            sys.modules["torch"] = Torch()
            from lossless._saving.checkpoint import Checkpoints
            from lossless._saving.patience import Patience
            sending = threading.Event()
            def save(path, step, meta):
                sending.set()
                threading.Event().wait()
            Checkpoints("a", save, Patience()).take({"w": Tensor([1.0])}, 1, None)
            assert sending.wait(30)
            if os.fork() == 0:
                sys.exit(0)
            os.wait()
            (name,) = os.listdir(os.environ["TMPDIR"])
            assert os.path.exists(os.path.join(os.environ["TMPDIR"], name, "checkpoint.pt"))
            os.kill(os.getpid(), signal.SIGKILL)
        """
        path = f"{ROOT}/python/src:{ROOT}/python/tests"
        environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(self.directory)}
        words = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]
        result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(-9, result.returncode, result.stderr)
        self.assertEqual(1, len(os.listdir(self.directory)))
        seen: list[int] = []
        checkpoints = self.checkpoints(lambda *_: seen.append(len(os.listdir(self.directory))))
        checkpoints.take({"w": Tensor([1.0])}, 1, None).wait(30)
        self.assertEqual([1], seen)

    def test_torch_is_needed_and_a_recording(self) -> None:
        with self.assertRaisesRegex(lossless.LosslessError, "before init"):
            lossless.checkpoint({})
        sys.modules["torch"] = None  # type: ignore[assignment]
        with self.assertRaisesRegex(lossless.LosslessError, "not installed"):
            self.checkpoints().take({}, None, None)


@unittest.skipUnless(find_spec("torch"), "torch is not installed: no real state dict is saved here")
class WithTorch(unittest.TestCase):
    def test_a_training_is_restored_to_the_bit(self) -> None:
        """Adam with momentum and tied weights: saved beside the training, restored, continued."""
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
            with lossless.init("torch", id="net") as run:
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

    def test_each_rank_of_a_sharded_training_saves_its_part(self) -> None:
        """FSDP2 on two ranks, three layers of one shape: what each loads is what it had."""
        script = """
            import os, sys, torch, lossless
            import torch.distributed as dist
            from torch.distributed.device_mesh import init_device_mesh
            from torch.distributed.fsdp import fully_shard
            rank = int(os.environ["RANK"])
            dist.init_process_group("gloo", rank=rank, world_size=2, store=dist.FileStore(sys.argv[1] + "/store", 2))
            torch.manual_seed(7)
            net = torch.nn.Sequential(*[torch.nn.Linear(4, 4, bias=False) for _ in range(3)])
            fully_shard(net, mesh=init_device_mesh("cpu", (2,)))
            with lossless.init("fsdp", id="net") as run:
                saved = run.checkpoint({"model": net.state_dict()}, step=1).wait(60)
            assert saved.artifact == f"fsdp/net/checkpoint-rank{rank}", saved
            lossless.load_artifact(saved.artifact, f"{sys.argv[1]}/back{rank}")
            back = torch.load(f"{sys.argv[1]}/back{rank}/checkpoint.pt", weights_only=False)["model"]
            for name, tensor in net.state_dict().items():
                assert torch.equal(tensor.to_local(), back[name].to_local()), name
            dist.barrier()
            dist.destroy_process_group()
        """
        directory = tempfile.mkdtemp(prefix="lossless-checkpoint-test-")
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        with Service() as service:
            words = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), directory]
            ranks = [
                subprocess.Popen(
                    words, env=service.environment(RANK=str(rank), WORLD_SIZE="2"), stderr=subprocess.PIPE, text=True
                )
                for rank in range(2)
            ]
            for process in ranks:
                _, errors = process.communicate(timeout=300)
                self.assertEqual(0, process.returncode, errors)


if __name__ == "__main__":
    unittest.main()

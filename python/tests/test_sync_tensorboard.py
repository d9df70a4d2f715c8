"""`init(sync_tensorboard=True)`: what a script writes for TensorBoard is in its own run."""

from __future__ import annotations

import struct
import unittest

from scripts import Scripts
from service import ROOT


class SyncTensorboard(Scripts):
    def environment(self, **variables: str) -> dict[str, str]:
        found = super().environment(**variables)
        paths = (ROOT / "python/tests/stand_ins", ROOT / "python/tests")
        return {**found, "PYTHONPATH": ":".join([found["PYTHONPATH"], *map(str, paths)])}

    def test_a_script_of_cleanrl_has_all_its_metrics(self) -> None:
        """The writer is followed, however it is imported or closed; earlier files are left out."""
        for number, (first, last) in enumerate(
            (("", "writer.close()"), ("from tensorboardX import SummaryWriter", ""), ("", "wandb.finish()"))
        ):
            result = self.good_file(
                f"""
                import os, tempfile, time
                os.chdir(tempfile.mkdtemp())
                {first}
                import lossless as wandb
                from event_file import scalar, write
                from pathlib import Path
                run_name = "CartPole-v1__ppo__{number}"
                old = Path(f"runs/{{run_name}}/events.out.tfevents.1600000000.host")
                write(old, [scalar("old", 1.0, 1, 1.6e9)])
                os.utime(old, (1.6e9, 1.6e9))
                wandb.init(project="cleanRL", entity=None, sync_tensorboard=True, config={{"seed": 1}}, id=run_name,
                           monitor_gym=True, save_code=True)
                from tensorboardX import SummaryWriter
                writer = SummaryWriter(f"runs/{{run_name}}")
                writer.add_text("hyperparameters", "|param|value|")
                for step in range(0, 400, 4):
                    writer.add_scalar("charts/episodic_return", step * 0.5, step, walltime=1.7e9 + step)
                    writer.add_scalar("losses/value_loss", 1 / (step + 1), step)
                writer.add_scalar("losses/nan", float("nan"), 400)
                inner = SummaryWriter(f"runs/{{run_name}}/eval")
                inner.add_scalar("loss", 5.0, 1)
                wandb.log({{"own": 1.0}})
                wandb.log({{"own": 2.0}})
                {last}
                """
            )
            slug = f"cleanRL/CartPole-v1__ppo__{number}"
            points = self.service.points(slug)
            self.assertEqual(
                {"charts/episodic_return", "losses/value_loss", "eval/loss", "own"}, set(points), result.stderr
            )
            self.assertEqual([(step, step * 0.5, {}) for step in range(0, 400, 4)], points["charts/episodic_return"])
            losses = [struct.unpack("<f", struct.pack("<f", 1 / (step + 1)))[0] for step in range(0, 400, 4)]
            self.assertEqual(losses, [value for _, value, _ in points["losses/value_loss"]])
            self.assertEqual([(0, 1.0, {}), (1, 2.0, {})], points["own"])
            [note] = [each for each in self.service.annotations(slug) if each["meta"].get("kind") == "nonfinite"]
            self.assertEqual("losses/nan is NaN at step 400", note["annotation"])
            self.assertIn("1 value of event files left out (1 text)", result.stderr)
            self.assertNotIn("sync_tensorboard=…", result.stderr)

    def test_it_comes_while_the_script_trains_and_two_runs_are_not_mixed_up(self) -> None:
        script = self.started(
            """
            import os, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            from tensorboardX import SummaryWriter
            for name in ("one", "two"):
                run = wandb.init(project="tb-live", id=name, sync_tensorboard=True)
                writer = SummaryWriter(f"runs/{name}", filename_suffix="." + name)
                writer.add_scalar("loss", {"one": 1.0, "two": 2.0}[name], 7)
                writer.flush()
                print("written", flush=True)
                input()
                # Not closed: it is open still when the second run looks for files that are.
                run.finish()
            """
        )
        for name, value in (("one", 1.0), ("two", 2.0)):
            self.assertEqual("written", script.line())
            self.until(lambda: self.stored(f"tb-live/{name}", "loss") == [(7, value)], f"{name} comes while it trains")
            script.go_on()
        self.assertEqual(0, script.ended())
        for name, value in (("one", 1.0), ("two", 2.0)):
            self.assertEqual([(7, value)], self.stored(f"tb-live/{name}", "loss"))

    def test_a_file_that_is_copied_renamed_or_written_anew_is_recorded_once(self) -> None:
        script = self.started(
            """
            import os, shutil, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            from event_file import record, scalar, version
            from pathlib import Path
            import time
            wandb.tensorboard.patch(root_logdir="logs")
            run = wandb.init(project="tb-renamed", id="run")
            path = Path(f"logs/events.out.tfevents.{int(time.time())}.host")
            path.parent.mkdir()
            def write(*steps):
                with open(path, "ab") as out:
                    out.write(b"".join(record(scalar("loss", step, step, 1.7e9 + step)) for step in steps))
            path.write_bytes(record(version(1.7e9)))
            write(0, 1)
            print("written", flush=True); input()
            shutil.copy(path, f"{path}.bak")
            shutil.copy(path, path.with_name(f".{path.name}.Xa81bQ"))
            write(2)
            print("copied", flush=True); input()
            other = path.with_name("events.out.tfevents.other")
            shutil.copy(path, other)
            os.replace(other, path)
            write(3)
            print("replaced", flush=True); input()
            path = path.rename(f"{path}.old")
            write(4)
            run.finish()
            """
        )
        for word, steps in (("written", 2), ("copied", 3), ("replaced", 4)):
            self.assertEqual(word, script.line())
            expected = [(step, float(step)) for step in range(steps)]
            self.until(lambda: self.stored("tb-renamed/run", "loss") == expected, f"{steps} points, once each")
            script.go_on()
        self.assertEqual(0, script.ended())
        self.assertEqual([(step, float(step)) for step in range(5)], self.stored("tb-renamed/run", "loss"))

    def test_patch_names_the_root(self) -> None:
        self.good_file(
            """
            import os, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            wandb.tensorboard.patch(root_logdir="logs", save=False, pytorch=True)
            wandb.init(project="tb-patch", id="run")
            from event_file import scalar, write
            from pathlib import Path
            import time
            # Written by another process, like a worker.
            for name in ("train", "validation"):
                write(Path(f"logs/{name}/events.out.tfevents.{int(time.time())}.host"), [scalar("loss", 0.5, 3, 1.7e9)])
            wandb.finish()
            wandb.tensorboard.unpatch()
            """
        )
        points = self.service.points("tb-patch/run")
        self.assertEqual({"train/loss": [(3, 0.5, {})], "validation/loss": [(3, 0.5, {})]}, points)


if __name__ == "__main__":
    unittest.main()

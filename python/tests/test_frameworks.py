"""
What callbacks make of trainings, with stand-ins for the frameworks (tests/stand_ins), against the
real service: one experiment for a training and its evaluations, another one for another training,
and the right end for each.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
import unittest

from service import ROOT, WithService

from lossless import Reader

_NOT_ENDED = "the training did not finish"
Curves = dict[str, list[tuple[int, float]]]


class Trainings(WithService):
    def found(self, text: str, code: int = 0) -> list[tuple[str, str | None, Curves]]:
        """Runs a script with the project `project`; status, error, curves, oldest first."""
        self.project = self._testMethodName
        paths = f"{ROOT / 'python/src'}:{ROOT / 'python/tests/stand_ins'}"
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", f"project = {self.project!r}\n{textwrap.dedent(text)}"],
            env={**self.service.environment(spool=self.project), "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(code, result.returncode, result.stderr)
        with Reader(self.service.url, self.service_key()) as reader:
            end = time.monotonic() + 120
            while True:
                records = [reader.experiment(each["slug"]) for each in reader.filed(self.project)]
                # A sender may outlive its script on a slow machine.
                if all(each["status"] != "running" for each in records) or time.monotonic() > end:
                    break
                time.sleep(0.1)
        records.sort(key=lambda record: record["createdAtMs"])
        self.config = [record["meta"] for record in records]
        return [(record["status"], record["error"], self.curves(record["slug"])) for record in records]

    def service_key(self) -> str:
        return self.service.environment()["LOSSLESS_API_KEY"]

    def curves(self, slug: str) -> Curves:
        stored = self.service.points(slug)
        return {name: [(step, value) for step, value, _ in rows] for name, rows in stored.items()}

    def test_lightning(self) -> None:
        found = self.found(
            """
            from lightning import Trainer
            from lossless.integrations.lightning import LosslessLogger
            trainer = Trainer(LosslessLogger(project=project))
            trainer.fit([0.5, 0.25])
            trainer.test(0.75)
            trainer.fit([0.125])
            try: trainer.fit([0.1], fails=RuntimeError("no memory"))
            except RuntimeError: pass
            """
        )
        losses = [(0, 0.5), (1, 0.25), (2, 0.125), (3, 0.1)]
        epochs = [(0, 0), (1, 0), (2, 0), (2, 0), (3, 0)]
        expected = {"train_loss": losses, "test_accuracy": [(2, 0.75)], "epoch": epochs}
        self.assertEqual([("error", "RuntimeError: no memory", expected)], found)
        self.assertEqual(8, self.config[0]["width"])

    def test_transformers(self) -> None:
        """Three trainings: one is evaluated, one given up and gone on with, one left open."""
        found = self.found(
            """
            from transformers import Trainer
            from lossless.integrations.transformers import LosslessCallback
            trainer = Trainer([LosslessCallback(project=project)])
            trainer.train([0.5, 0.25])
            trainer.evaluate(0.75)
            trainer.predict(0.875)
            try: trainer.train([0.4], fails=KeyboardInterrupt())
            except KeyboardInterrupt: pass
            trainer.train([0.3], resume_from=1)
            trainer.train([0.2])
            trainer.evaluate(0.1)
            """
        )
        first = {"train/loss": [(1, 0.5), (2, 0.25)], "train/train_runtime": [(2, 0.25)]}
        first.update({"eval/loss": [(2, 0.75)], "test/loss": [(2, 0.875)]})
        second = {"train/loss": [(1, 0.4), (2, 0.3)], "train/train_runtime": [(2, 0.25)]}
        third = {"train/loss": [(1, 0.2)], "train/train_runtime": [(1, 0.25)], "eval/loss": [(1, 0.1)]}
        self.assertEqual([("done", None, each) for each in (first, second, third)], found)
        self.assertEqual({"learning_rate": 0.5}, self.config[0]["trainer"])

    def test_transformers_after_a_failure(self) -> None:
        found = self.found(
            """
            from transformers import Trainer
            from lossless.integrations.transformers import LosslessCallback
            def fail(trainer, loss):
                try: trainer.train([loss], fails=ValueError("x"))
                except ValueError: pass
            trainer = Trainer([LosslessCallback(project=project)])
            fail(trainer, 0.5)
            trainer.train([0.25])
            fail(trainer, 0.125)
            Trainer([LosslessCallback(project=project)]).train([0.0625])
            fail(Trainer([LosslessCallback(project=project)]), 0.03125)
            """
        )
        # Two of them are open at a time, so that their order is not known.
        ends = {curves["train/loss"][0]: (status, error) for status, error, curves in found}
        failed, done = ("error", _NOT_ENDED), ("done", None)
        expected = {(1, 0.5): failed, (1, 0.25): done, (1, 0.125): failed, (1, 0.0625): done, (1, 0.03125): failed}
        self.assertEqual(expected, ends)

    def test_a_failure_that_ends_the_script(self) -> None:
        text = """
            from transformers import Trainer
            from lossless.integrations.transformers import LosslessCallback
            Trainer([LosslessCallback(project=project)]).train([0.5], fails=ValueError("bad data"))
            """
        self.assertEqual([("error", "ValueError: bad data", {"train/loss": [(1, 0.5)]})], self.found(text, code=1))

    def test_an_evaluation_of_the_one_before(self) -> None:
        """The evaluation continues in the experiment of its model, which has ended."""
        found = self.found(
            """
            from transformers import Trainer
            from lossless.integrations.transformers import LosslessCallback
            first = Trainer([LosslessCallback(project=project)])
            second = Trainer([LosslessCallback(project=project)])
            first.train([0.5])
            second.train([0.25])
            first.evaluate(0.75)
            """
        )
        self.assertEqual(["done", "done"], [status for status, _, _ in found])
        self.assertEqual([(1, 0.75)], found[0][2]["eval/loss"])
        self.assertNotIn("eval/loss", found[1][2])
        self.assertEqual({"learning_rate": 0.5}, self.config[0]["trainer"])

    def test_keras(self) -> None:
        """A fit with validation, an evaluation, its continuation; a fit that fails; a last one."""
        found = self.found(
            """
            from keras import Model
            from lossless.integrations.keras import LosslessCallback
            callback = LosslessCallback(project=project, every_batches=2)
            model = Model()
            model.fit([0.5, 0.25], [callback], validation=0.75)
            model.evaluate(0.875, [callback])
            model.fit([0.125], [callback], initial_epoch=2)
            try: model.fit([0.4], [callback], fails=ValueError())
            except ValueError: pass
            model.evaluate(0.7, [callback])
            model.fit([0.1], [callback])
            """
        )
        first = {"loss": [(0, 0.5), (1, 0.25), (2, 0.125)], "val_loss": [(0, 0.75), (1, 0.75)]}
        first.update({"test/loss": [(1, 0.875)], "batch/loss": [(2, 0.5), (4, 0.25), (6, 0.125)]})
        second: Curves = {"batch/loss": [(2, 0.4)], "test/loss": [(0, 0.7)]}
        third: Curves = {"loss": [(0, 0.1)], "batch/loss": [(2, 0.1)]}
        self.assertEqual([("done", None, first), ("error", _NOT_ENDED, second), ("done", None, third)], found)
        self.assertEqual({"epochs": 3, "steps": 2, "verbose": 0}, self.config[0]["fit"])

    def test_keras_records_into_what_was_begun(self) -> None:
        found = self.found(
            """
            import lossless
            from keras import Model
            from lossless.integrations.keras import LosslessCallback
            for value in (0.5, 0.25):
                callback = LosslessCallback()
                with lossless.init(project):
                    Model().fit([value], [callback])
                    Model().evaluate(value / 2, [callback])
            """
        )
        for value, each in zip((0.5, 0.25), found):
            self.assertEqual(("done", None, {"loss": [(0, value)], "test/loss": [(0, value / 2)]}), each)
        self.assertEqual(2, len(found))

    def test_xgboost(self) -> None:
        """Stopped early before the callback, failed, and again with the same callback."""
        found = self.found(
            """
            import xgboost
            from lossless.integrations.xgboost import LosslessCallback
            class Failing(xgboost.callback.TrainingCallback):
                def after_iteration(self, model, epoch, evals_log):
                    if epoch == 1: raise RuntimeError("boom")
            callback = LosslessCallback(project=project)
            xgboost.train([0.5, 0.25, 0.3, 0.1], [xgboost.callback.EarlyStopping(), callback])
            try: xgboost.train([0.5, 0.25], [callback, Failing()])
            except RuntimeError: pass
            xgboost.train([0.125, 0.0625], [callback])
            """
        )
        expected = [
            ("done", None, {"train/rmse": [(0, 0.5), (1, 0.25), (2, 0.3)]}),
            ("error", _NOT_ENDED, {"train/rmse": [(0, 0.5), (1, 0.25)]}),
            ("done", None, {"train/rmse": [(0, 0.125), (1, 0.0625)]}),
        ]
        self.assertEqual(expected, found)
        self.assertEqual({"learner": {"rounds": "5"}}, self.config[0]["xgboost"])

    def test_lightgbm(self) -> None:
        """Trainings whole, stopped early, failed, whole, and stopped early at the script's end."""
        found = self.found(
            """
            import lightgbm
            from lossless.integrations.lightgbm import LosslessCallback
            callback = LosslessCallback(project=project)
            def stopped(): lightgbm.train([0.5, 0.6, 0.1], [lightgbm.early_stopping(), callback])
            lightgbm.train([0.5, 0.25], [callback])
            stopped()
            try: lightgbm.train([0.4, 0.3], [callback], fails=ValueError())
            except ValueError: pass
            lightgbm.train([0.2], [callback])
            stopped()
            """
        )
        stopped: Curves = {"valid_0/l2": [(0, 0.5), (1, 0.6)]}
        expected = [
            ("done", None, {"valid_0/l2": [(0, 0.5), (1, 0.25)]}),
            ("done", None, stopped),
            ("error", _NOT_ENDED, {"valid_0/l2": [(0, 0.4)]}),
            ("done", None, {"valid_0/l2": [(0, 0.2)]}),
            ("done", None, stopped),
        ]
        self.assertEqual(expected, found)
        self.assertEqual({"metric": "l2"}, self.config[0]["lightgbm"])


if __name__ == "__main__":
    unittest.main()

"""W&B's names for frameworks' callbacks: they record, and none that fails ends a training."""

from __future__ import annotations

import unittest

from scripts import Scripts
from service import ROOT


class WandbCallbacks(Scripts):
    def environment(self, **variables: str) -> dict[str, str]:
        found = super().environment(**variables)
        path = ROOT / "python/tests/stand_ins"
        return {**found, "PYTHONPATH": f"{found['PYTHONPATH']}:{path}"}

    def test_they_record_and_arguments_that_are_not_known_are_told(self) -> None:
        result = self.good_file(
            """
            import os, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            import keras, lightgbm, xgboost
            wandb.init(project="callbacks", id="all")
            callback = wandb.xgboost.WandbCallback(log_model=True, importance_type="gain", future=1)
            assert isinstance(callback, xgboost.callback.TrainingCallback)
            assert wandb.integration.xgboost.WandbCallback is not None
            xgboost.train([0.5, 0.25], callbacks=[callback])
            lightgbm.train([4.0, 2.0], callbacks=[wandb.lightgbm.wandb_callback(log_params=True)])
            wandb.integration.lightgbm.log_summary(None, save_model_checkpoint=True)
            for made in (wandb.keras.WandbMetricsLogger(log_freq=1), wandb.keras.WandbCallback(save_model=True, labels=[])):
                assert isinstance(made, keras.callbacks.Callback)
            keras.Model().fit([8.0, 7.0], callbacks=[wandb.integration.keras.WandbMetricsLogger("batch")])
            checkpoint = wandb.keras.WandbModelCheckpoint(tempfile.mkdtemp() + "/net-{epoch}.keras", save_best_only=True)
            keras.Model().fit([6.0], callbacks=[checkpoint])
            class Info:
                iteration = 3
                metrics = {"learn": {"RMSE": [9.0, 5.0]}}
            assert wandb.catboost.WandbCallback().after_iteration(Info) is True
            wandb.finish()
            used = wandb.Api().artifact("callbacks/run_all_model:epoch_1").file()
            assert open(used).read() == "epoch 0", used
            assert open(wandb.Api().artifact("callbacks/all_model.json:latest").file()).read() == "booster"
            """
        )
        stored = {name: [value for _, value, _ in rows] for name, rows in self.service.points("callbacks/all").items()}
        self.assertEqual(
            {
                "train/rmse": [0.5, 0.25],
                "valid_0/l2": [4.0, 2.0],
                "loss": [8.0, 7.0],
                "batch/loss": [8.0, 8.0, 7.0, 7.0],
                "learn/RMSE": [5.0],
            },
            stored,
        )
        self.assertIn("xgboost.WandbCallback(future=…) has no counterpart and is ignored", result.stderr)
        [plot] = [
            note["meta"]["_media"] for note in self.service.annotations("callbacks/all") if "_media" in note["meta"]
        ]
        self.assertEqual(("plot", "Feature Importance"), (plot["kind"], plot["name"]))

    def test_a_hook_that_fails_ends_no_training(self) -> None:
        result = self.good_file(
            """
            import lossless as wandb
            import keras, lightgbm, xgboost
            class Broken:
                is_finished = disabled = False
                def __getattr__(self, name):
                    raise RuntimeError("broken " + name)
            from lossless._recording import current as _module
            _module._Current.experiment = Broken()
            booster = xgboost.train([0.5, 0.25], callbacks=[wandb.xgboost.WandbCallback()])
            lightgbm.train([4.0, 2.0], callbacks=[wandb.lightgbm.wandb_callback()])
            keras.Model().fit([8.0], callbacks=[wandb.keras.WandbMetricsLogger()])
            assert wandb.catboost.WandbCallback().after_iteration(None) is True
            print("trained", type(booster).__name__)
            _module._Current.experiment = None
            """
        )
        self.assertEqual("trained Booster\n", result.stdout)
        self.assertIn("WandbCallback.before_training failed: RuntimeError('broken config')", result.stderr)
        self.assertIn("the training goes on", result.stderr)

    def test_a_warning_says_what_to_do_instead(self) -> None:
        result = self.good_file(
            """
            import lossless as wandb
            run = wandb.init(project="callbacks", id="hints")
            wandb.watch(1); run.restore("x"); wandb.fastai.WandbCallback(); wandb.Molecule("x")
            wandb.finish()
            """
        )
        for what, instead in (
            ("watch", "gradient_norm"),
            ("run.restore", "load_artifact"),
            ("WandbCallback", "lossless.integrations"),
            ("Molecule", "save_artifact"),
        ):
            self.assertRegex(result.stderr, f"{what} has no counterpart here: .*; .*{instead}")


class Texts(Scripts):
    def test_texts_are_notes_once_for_as_long_as_they_stay(self) -> None:
        result = self.good_file(
            """
            import lossless
            lossless.init("texts", id="run")
            for step in range(50):
                lossless.log({"loss": 1.0 * step, "phase": "warm-up" if step < 20 else "cosine", "deep": {"note": "λ\\0"}}, step)
            lossless.log({"phase": "cosine"}, 60, meta={"split": "val"})
            lossless.log({"phase": "warm-up"}, 61)
            assert lossless.summary["phase"] == "warm-up"
            lossless.log("loss", 1)
            lossless.log([("loss", 1)])
            lossless.finish()
            """
        )
        notes = [(note["annotation"], note["meta"]) for note in self.service.annotations("texts/run")]
        self.assertTrue(all(meta.pop("timestampMs") > 1e12 for _, meta in notes if meta["kind"] == "text"))
        text = {"kind": "text", "metricName": "phase"}
        self.assertEqual(
            [
                ("phase: warm-up", {**text, "step": 0}),
                ("deep.note: λ\ufffd", {**text, "metricName": "deep.note", "step": 0}),
                ("phase: cosine", {**text, "step": 20}),
                ("phase: cosine", {**text, "step": 60, "pointMeta": {"split": "val"}}),
                ("phase: warm-up", {**text, "step": 61}),
            ],
            [each for each in notes if each[1]["kind"] == "text"],
        )
        self.assertEqual(50, len(self.service.points("texts/run")["loss"]))
        self.assertIn('log() takes a mapping, as in log({"loss": 0.5}), not str', result.stderr)
        self.assertIn("not list", result.stderr)

    def test_their_number_is_bounded(self) -> None:
        result = self.good_file(
            """
            import lossless
            from lossless._recording import logged_texts as _logged_texts
            run = lossless.init("texts", id="many", mode="offline")
            for step in range(_logged_texts.TEXTS_MAX + 5):
                run.log({"text": f"{step}"}, step)
            print(run.finish().refused)
            """
        )
        self.assertEqual("5\n", result.stdout)
        self.assertIn("more than 10000 texts", result.stderr)


if __name__ == "__main__":
    unittest.main()

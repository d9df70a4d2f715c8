"""Loggers of large frameworks, at MLflow's own server and here: both have the same of them."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

from types import SimpleNamespace

import keras
import mlflow
import numpy
from beside import Beside
from mlflow.entities import Experiment
from transformers import BertConfig
from transformers.integrations import MLflowCallback


def fitted(callbacks: list[keras.callbacks.Callback]) -> None:
    # Layers are numbered from the beginning.
    keras.utils.clear_session()
    keras.utils.set_random_seed(5)
    random = numpy.random.default_rng(7)
    values = random.random((64, 4)).astype("float32")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(0.125), loss="mse", metrics=["mae"])
    model.fit(values, values.sum(axis=1), epochs=3, verbose=0, callbacks=callbacks)


class Keras(Beside):
    def test_the_callback(self) -> None:
        def work(_: Experiment) -> None:
            with mlflow.start_run():
                fitted([mlflow.keras.MlflowCallback()])

        (run,) = self.compare(work)
        self.assertEqual(run.data.params["optimizer_learning_rate"], "0.125")
        self.assertEqual(set(run.data.metrics), {"loss", "mae"})

    def test_autologging(self) -> None:
        def work(_: Experiment) -> None:
            mlflow.keras.autolog()
            try:
                with mlflow.start_run():
                    fitted([])
            finally:
                mlflow.keras.autolog(disable=True)

        (run,) = self.compare(work)
        self.assertIn("mae", run.data.metrics)


class Transformers(Beside):
    def test_the_callback_of_the_trainer(self) -> None:
        """The trainer wants PyTorch; here its callback is told what the trainer tells it."""

        def work(_: Experiment) -> None:
            given = {"learning_rate": 5e-05, "per_device_train_batch_size": 8, "optim": "adamw"}
            settings = SimpleNamespace(run_name="tuned", output_dir="out", to_dict=lambda: given)
            state = SimpleNamespace(is_world_process_zero=True, global_step=0)
            callback = MLflowCallback()
            model = SimpleNamespace(config=BertConfig(num_hidden_layers=3))
            callback.on_train_begin(settings, state, None, model=model)
            for step in range(0, 30, 10):
                state.global_step = step
                logs = {"loss": 1 / (1 + step), "learning_rate": 5e-05, "step time (s)": 0.5}
                callback.on_log(settings, state, None, logs)
            callback.on_train_end(settings, state, None)

        (run,) = self.compare(work, names=True)
        self.assertEqual((run.info.run_name, run.data.params["num_hidden_layers"]), ("tuned", "3"))
        self.assertEqual(set(run.data.metrics), {"loss", "learning_rate", "step time _s_"})

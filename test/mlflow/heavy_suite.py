"""Loggers of large frameworks, at MLflow's own server and here: both have the same of them."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import mlflow
import numpy
from beside import Beside
from mlflow.entities import Experiment


def fitted(callbacks: list[keras.callbacks.Callback]) -> None:
    keras.utils.set_random_seed(5)
    random = numpy.random.default_rng(7)
    values = random.random((64, 4)).astype("float32")
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(0.125), loss="mse", metrics=["mae"])
    model.fit(values, values.sum(axis=1), epochs=3, verbose=0, callbacks=callbacks)


class Keras(Beside):
    def test_the_callback(self) -> None:
        def work(_: Experiment) -> None:
            with mlflow.start_run() as run:
                fitted([mlflow.keras.MlflowCallback(run=run)])

        (run,) = self.compare(work)
        self.assertEqual(run.data.params["opt_learning_rate"], "0.125")
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

"""Loggers of small frameworks, at MLflow's own server and here: both have the same of them."""

from __future__ import annotations

import lightgbm
import mlflow
import numpy
import optuna
import xgboost
from beside import Beside
from mlflow.entities import Experiment
from optuna_integration.mlflow import MLflowCallback
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression


def samples() -> tuple[numpy.ndarray, numpy.ndarray]:
    random = numpy.random.default_rng(7)
    values = random.random((80, 4))
    return values, (values.sum(axis=1) > 2).astype(int)


class Autologging(Beside):
    def logged(self, flavour: object, train: object) -> object:
        """The one run of a training with autologging, which both servers have."""

        def work(_: Experiment) -> None:
            flavour.autolog()
            try:
                with mlflow.start_run():
                    train()
            finally:
                flavour.autolog(disable=True)

        (run,) = self.compare(work)
        self.assertEqual(len(run.outputs.model_outputs), 1)
        self.assertGreater(len(run.inputs.dataset_inputs), 0)
        return run

    def test_xgboost(self) -> None:
        values, classes = samples()

        def train() -> None:
            data = xgboost.DMatrix(values, classes)
            settings = {"objective": "binary:logistic", "seed": 1, "nthread": 1, "eta": 0.25}
            xgboost.train(settings, data, 5, evals=[(data, "train")], verbose_eval=False)

        run = self.logged(mlflow.xgboost, train)
        self.assertEqual(run.data.params["eta"], "0.25")
        self.assertIn("train-logloss", run.data.metrics)

    def test_lightgbm(self) -> None:
        values, classes = samples()

        def train() -> None:
            data = lightgbm.Dataset(values, classes)
            settings = {"objective": "binary", "seed": 1, "num_threads": 1, "verbose": -1}
            settings |= {"deterministic": True, "min_data_in_leaf": 5}
            lightgbm.train(settings, data, 5, valid_sets=[data], valid_names=["train"])

        run = self.logged(mlflow.lightgbm, train)
        self.assertEqual(run.data.params["min_data_in_leaf"], "5")
        self.assertIn("train-binary_logloss", run.data.metrics)

    def test_scikit_learn(self) -> None:
        values, classes = load_iris(return_X_y=True)
        run = self.logged(
            mlflow.sklearn, lambda: LogisticRegression(max_iter=500, C=0.5).fit(values, classes)
        )
        self.assertIn("training_accuracy_score", run.data.metrics)


class Optuna(Beside):
    def test_a_study_is_a_run_for_each_trial(self) -> None:
        def work(experiment: Experiment) -> None:
            callback = MLflowCallback(
                tracking_uri=mlflow.get_tracking_uri(),
                metric_name="distance",
                create_experiment=False,
                mlflow_kwargs={"experiment_id": experiment.experiment_id},
            )
            study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=3), study_name="s")
            study.optimize(distance, n_trials=4, callbacks=[callback])

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        runs = self.compare(work, names=True)
        self.assertEqual([run.info.run_name for run in runs], ["0", "1", "2", "3"])
        self.assertEqual([set(run.data.metrics) for run in runs], [{"distance"}] * 4)


def distance(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -1, 1)
    return (x - 0.5) ** 2 + trial.suggest_int("n", 1, 3)

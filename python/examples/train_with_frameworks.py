"""
Trains a small network with each framework and its callback against a real service, reads the curves
back and compares them with what the framework itself has kept. Prints a table; what is not
installed stands in it as absent.

    python3 python/examples/train_with_frameworks.py [FRAMEWORK ...]

Needs the checkout (it starts the service from there), and the frameworks to be shown.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python/src"), str(ROOT / "python/tests")]

Curves = dict[str, list[float]]


def main(names: list[str]) -> int:
    from service import Service

    rows = []
    with Service() as service:
        for name in names or list(TRAININGS):
            rows.append((name, *_tried(name, service)))
    print("| framework | version | result |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    return 1 if any(result.startswith("FAILED") for _, _, result in rows) else 0


def _tried(name: str, service: Any) -> tuple[str, str]:
    """Runs it in a process of its own: frameworks get into each other's way."""
    with tempfile.TemporaryDirectory() as directory:
        result = subprocess.run(
            [sys.executable, __file__, "--train", name],
            env={**service.environment(spool=name), "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"},
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=900,
        )
    try:
        told = json.loads(result.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        return "?", f"FAILED: {' '.join(result.stderr.split())[-300:]}"
    if told.get("absent"):
        return "", f"absent ({told['absent']})"
    return told["version"], _compared(service, name, told)


def _compared(service: Any, name: str, told: Any) -> str:
    record = service.query("query.experiment", experimentSlug=name)
    if record["status"] != "done":
        return f"FAILED: the experiment is {record['status']}"
    stored = service.points(name)
    points = 0
    for metric, expected in told["curves"].items():
        values = [value for _, value, _ in stored.get(metric, [])]
        if values != expected:
            counts = f"{len(values)} values stored, {len(expected)} expected"
            return f"FAILED: {metric}: {counts}, or not equal"
        points += len(values)
    extra = sum(map(len, stored.values())) - points
    return f"{points} points of {', '.join(told['curves'])} read back equal; {extra} others stored"


def _data() -> tuple[Any, Any]:
    import numpy

    random = numpy.random.default_rng(1)
    inputs = random.normal(size=(256, 4)).astype("float32")
    return inputs, (inputs.sum(axis=1) > 0).astype("float32")


def torch_alone() -> tuple[str, Curves]:
    import torch

    import lossless

    inputs, targets = map(torch.tensor, _data())
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    losses = []
    with lossless.init(id="torch") as run:
        for step in range(2000):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(inputs).squeeze(1), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            run.log({"loss": loss}, step=step)
            losses.append(loss.item())
    return torch.__version__, {"loss": losses}


def lightning() -> tuple[str, Curves]:
    import lightning as framework
    import torch

    from lossless.integrations.lightning import LosslessLogger

    losses: list[float] = []

    class Model(framework.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.save_hyperparameters({"width": 8})
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))

        def loss(self, batch: Any) -> Any:
            inputs, targets = batch
            return torch.nn.functional.binary_cross_entropy_with_logits(self.layers(inputs).squeeze(1), targets)

        def training_step(self, batch: Any, index: int) -> Any:
            loss = self.loss(batch)
            self.log("train/loss", loss)
            losses.append(loss.item())
            return loss

        def validation_step(self, batch: Any, index: int) -> None:
            self.log("val/loss", self.loss(batch))

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), 0.01)

    dataset = torch.utils.data.TensorDataset(*map(torch.tensor, _data()))
    logger = LosslessLogger(id="lightning")
    trainer = framework.Trainer(
        max_epochs=5,
        logger=logger,
        log_every_n_steps=1,
        accelerator="cpu",
        enable_progress_bar=False,
        num_sanity_val_steps=0,
    )
    loader = torch.utils.data.DataLoader(dataset, batch_size=16)
    trainer.fit(Model(), loader, loader)
    assert logger.experiment.config["width"] == 8
    logger.experiment.finish()
    return framework.__version__, {"train/loss": losses}


def transformers() -> tuple[str, Curves]:
    import torch
    import transformers as framework

    from lossless.integrations.transformers import LosslessCallback

    config = framework.BertConfig(
        vocab_size=32, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    model = framework.BertForSequenceClassification(config)
    rows = [{"input_ids": torch.randint(0, 32, (8,)), "labels": torch.tensor(row % 2)} for row in range(128)]
    arguments = framework.TrainingArguments(
        output_dir="out",
        num_train_epochs=3,
        logging_steps=2,
        eval_strategy="epoch",
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = framework.Trainer(
        model, arguments, train_dataset=rows, eval_dataset=rows[:32], callbacks=[LosslessCallback(id="transformers")]
    )
    trainer.train()
    # This is at the step of the last evaluation of the training.
    trainer.evaluate()
    history = trainer.state.log_history
    return framework.__version__, {
        "train/loss": [entry["loss"] for entry in history if "loss" in entry],
        "eval/loss": [entry["eval_loss"] for entry in history if "eval_loss" in entry],
    }


def keras() -> tuple[str, Curves]:
    import keras as framework

    from lossless.integrations.keras import LosslessCallback

    model = framework.Sequential([framework.layers.Dense(8, "relu"), framework.layers.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    callback = LosslessCallback(id=f"keras-{framework.backend.backend()}", every_batches=2)
    arguments = {"verbose": 0, "validation_split": 0.25, "callbacks": [callback]}
    history = model.fit(*_data(), epochs=15, **arguments).history
    # It goes on in the same experiment.
    more = model.fit(*_data(), epochs=20, initial_epoch=15, **arguments).history
    tested = model.evaluate(*_data(), verbose=0, callbacks=[callback], return_dict=True)
    version = f"{framework.__version__} ({framework.backend.backend()})"
    curves = {name: [float(value) for value in values + more[name]] for name, values in history.items()}
    return version, {**curves, **{f"test/{name}": [float(value)] for name, value in tested.items()}}


def _keras_with(backend: str) -> Callable[[], tuple[str, Curves]]:
    def run() -> tuple[str, Curves]:
        importlib.import_module(backend)
        os.environ["KERAS_BACKEND"] = backend
        return keras()

    return run


def xgboost() -> tuple[str, Curves]:
    import xgboost as framework

    from lossless.integrations.xgboost import LosslessCallback

    data = framework.DMatrix(*_data())
    result: dict[str, Any] = {}
    framework.train(
        {"objective": "binary:logistic", "eval_metric": ["logloss", "error"]},
        data,
        50,
        evals=[(data, "train")],
        evals_result=result,
        verbose_eval=False,
        callbacks=[LosslessCallback(id="xgboost")],
    )
    return framework.__version__, _of_all_data(result)


def lightgbm() -> tuple[str, Curves]:
    import lightgbm as framework

    from lossless.integrations.lightgbm import LosslessCallback

    inputs, targets = _data()
    data = framework.Dataset(inputs, targets)
    result: dict[str, Any] = {}
    framework.train(
        {"objective": "binary", "metric": ["binary_logloss", "auc"], "verbose": -1},
        data,
        50,
        valid_sets=[data],
        callbacks=[framework.record_evaluation(result), LosslessCallback(id="lightgbm")],
    )
    return framework.__version__, _of_all_data(result)


def lightgbm_stopped_early() -> tuple[str, Curves]:
    import lightgbm as framework

    from lossless.integrations.lightgbm import LosslessCallback

    inputs, targets = _data()
    data = framework.Dataset(inputs[:192], targets[:192])
    result: dict[str, Any] = {}
    callbacks = [framework.record_evaluation(result), LosslessCallback(id="lightgbm-stopped")]
    framework.train(
        {"objective": "binary", "metric": "binary_logloss", "learning_rate": 0.5, "verbose": -1},
        data,
        500,
        valid_sets=[data.create_valid(inputs[192:], targets[192:])],
        callbacks=[*callbacks, framework.early_stopping(3, verbose=False)],
    )
    assert len(result["valid_0"]["binary_logloss"]) < 500
    return framework.__version__, _of_all_data(result)


def xgboost_stopped_early() -> tuple[str, Curves]:
    """Stops by a callback that comes first, and keeps the last round from those behind it."""
    import xgboost as framework

    from lossless.integrations.xgboost import LosslessCallback

    inputs, targets = _data()
    data, held_back = (framework.DMatrix(inputs[part], targets[part]) for part in (slice(192), slice(192, None)))
    result: dict[str, Any] = {}
    framework.train(
        {"objective": "binary:logistic", "eval_metric": "logloss", "eta": 1.0},
        data,
        500,
        evals=[(data, "train"), (held_back, "valid")],
        evals_result=result,
        verbose_eval=False,
        callbacks=[framework.callback.EarlyStopping(3), LosslessCallback(id="xgboost-stopped")],
    )
    assert len(result["train"]["logloss"]) < 500
    return framework.__version__, _of_all_data(result)


def _of_all_data(result: Any) -> Curves:
    return {f"{data}/{name}": values for data, metrics in result.items() for name, values in metrics.items()}


TRAININGS: dict[str, Callable[[], tuple[str, Curves]]] = {
    "torch": torch_alone,
    "lightning": lightning,
    "transformers": transformers,
    "keras-tensorflow": _keras_with("tensorflow"),
    "keras-jax": _keras_with("jax"),
    "keras-torch": _keras_with("torch"),
    "xgboost": xgboost,
    "xgboost-stopped": xgboost_stopped_early,
    "lightgbm": lightgbm,
    "lightgbm-stopped": lightgbm_stopped_early,
}


def _train(name: str) -> None:
    try:
        version, curves = TRAININGS[name]()
    except ImportError as error:
        if (error.name or "lossless").split(".")[0] == "lossless":
            raise
        print(json.dumps({"absent": str(error)}))
        return
    assert all(math.isfinite(value) for values in curves.values() for value in values)
    print(json.dumps({"version": version, "curves": curves}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        _train(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))

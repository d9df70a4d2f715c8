"""Lightning's logger, at MLflow's own server and here: both have the same of it."""

from __future__ import annotations

import logging
import tempfile
import warnings

import lightning
import mlflow
import torch
from beside import Beside
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import MLFlowLogger
from mlflow.entities import Experiment
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
warnings.filterwarnings("ignore", module="lightning")


class Sum(lightning.LightningModule):
    def __init__(self, rate: float = 0.125, layers: tuple[int, ...] = (4, 1)) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(*layers)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = self.loss_of(batch)
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        self.log("val_loss", self.loss_of(batch))

    def loss_of(self, batch: list[torch.Tensor]) -> torch.Tensor:
        values, sums = batch
        return torch.nn.functional.mse_loss(self.layer(values), sums)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


def fitted(logger: MLFlowLogger, folder: str) -> None:
    lightning.seed_everything(5, verbose=False)
    values = torch.rand(64, 4)
    data = DataLoader(TensorDataset(values, values.sum(1, keepdim=True)), batch_size=16)
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        logger=logger,
        callbacks=[ModelCheckpoint(monitor="val_loss", save_top_k=2)],
        default_root_dir=folder,
        log_every_n_steps=2,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Sum(), data, data)


class Lightning(Beside):
    def test_the_logger(self) -> None:
        def work(experiment: Experiment) -> None:
            with tempfile.TemporaryDirectory(prefix="lossless-mlflow-") as folder:
                logger = MLFlowLogger(
                    experiment_name=experiment.name,
                    run_name="sum",
                    tracking_uri=mlflow.get_tracking_uri(),
                    tags={"team": "vision"},
                    log_model="all",
                )
                fitted(logger, folder)

        (run,) = self.compare(work, names=True)
        self.assertEqual((run.info.run_name, run.info.status), ("sum", "FINISHED"))
        self.assertEqual(run.data.params, {"rate": "0.125", "layers": "(4, 1)"})
        self.assertEqual(
            set(run.data.metrics), {"epoch", "train/loss_step", "train/loss_epoch", "val_loss"}
        )

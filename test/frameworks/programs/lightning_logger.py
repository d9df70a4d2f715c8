import lightning
import numpy
import torch
from _told import by_calls, tell
from lightning.pytorch.loggers import WandbLogger
from lightning.pytorch.loggers.logger import DummyLogger


class Kept(DummyLogger):
    """Lightning gives every logger the same."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def log_metrics(self, metrics, step=None):
        self.rows.append({**metrics, "trainer/global_step": step})


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters({"lr": 0.1})
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, _):
        loss = self.layer(batch[0]).pow(2).mean()
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, _):
        self.log("val/loss", self.layer(batch[0]).pow(2).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


samples = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 4)), 4)
logger, kept = WandbLogger(project="lightning", name="logger", log_model=True), Kept()
model = Model()
trainer = lightning.Trainer(
    max_epochs=2, logger=[logger, kept], accelerator="cpu", log_every_n_steps=2, enable_progress_bar=False
)
trainer.fit(model, samples, samples)
rows = list(kept.rows)
logger.log_image("image", [numpy.zeros((8, 8, 3), numpy.uint8)])
logger.log_table("table", columns=["a"], data=[[1]])
logger.experiment.finish()
tell(
    {
        "name": "logger",
        "points": by_calls(rows),
        "config": {"lr": 0.1},
        "media": {"image": 1, "table": 1},
    }
)

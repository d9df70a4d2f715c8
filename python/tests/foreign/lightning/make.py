"""
Makes this store, with pytorch-lightning 2.6.6: python make.py DIRECTORY

A training whose metrics come by step and by epoch, and one whose columns grow with its second part.
"""

import sys

from pytorch_lightning.loggers import CSVLogger

where = sys.argv[1]
logger = CSVLogger(where, name="digits", version=0, flush_logs_every_n_steps=3)
logger.log_hyperparams(
    {"lr": 0.1, "net": {"depth": 3, "act": "relu"}, "layers": [16, 32], "note": "a: b", "seed": None}
)
for step in range(8):
    logger.log_metrics({"train/loss": 1 / (step + 1), "epoch": step // 4}, step)
    if step % 4 == 3:
        # Lightning logs the validation at the step of the training.
        logger.log_metrics({"val/acc": step / 8, "epoch": step // 4}, step)
logger.log_metrics({"odd": float("nan"), "big": 2.0**53}, 8)
logger.finalize("success")

logger = CSVLogger(where, name="digits", version=1)
for step in range(3):
    logger.log_metrics({"loss": 0.5 / (step + 1)}, step)
logger.save()
logger.log_metrics({"lr, warm": 1e-3, "loss": 0.1}, 3)
logger.finalize("success")

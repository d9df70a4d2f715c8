"""A logger for PyTorch Lightning.

trainer = Trainer(logger=LosslessLogger(project="vision", name="resnet-1"))
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from .._recording.process_end import words_of_error
from .._values.config import as_mapping
from ._recording import Recording, absent

try:
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
    from lightning.pytorch.utilities import rank_zero_only
except ImportError as missing:
    try:
        from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment
        from pytorch_lightning.utilities import rank_zero_only
    except ImportError:
        raise absent("PyTorch Lightning", "lightning", missing) from None


class LosslessLogger(Logger):
    """
    `experiment`, or the arguments of `lossless.init`. Only the first rank records. Lightning
    reports the end of each fit and test; the experiment continues until
    `logger.experiment.finish()`, or the end of the process. A failed fit ends it as failed.
    """

    def __init__(self, experiment: Any = None, **arguments: Any) -> None:
        super().__init__()
        self._recording = Recording(experiment, arguments)
        self._arguments = arguments

    @property
    @rank_zero_experiment
    def experiment(self) -> Any:
        return self._recording.experiment

    @property
    def name(self) -> str:
        """The project and name of the experiment; Lightning puts checkpoints below them."""
        return str(self._arguments.get("project") or "lossless")

    @property
    def version(self) -> str:
        if self._recording.has_begun:
            return str(self._recording.experiment.id)
        return str(self._arguments.get("name") or self._arguments.get("id") or "run")

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        self.experiment.log(metrics, step)

    @rank_zero_only
    def log_hyperparams(self, params: dict[str, Any] | Namespace | None = None, *_: Any, **__: Any) -> None:
        self.experiment.config.update(as_mapping(params))

    @rank_zero_only
    def finalize(self, status: str) -> None:
        if status != "failed" or not self._recording.has_begun:
            return
        # Lightning calls this while it handles the exception.
        error = sys.exc_info()[1]
        self._recording.finish("the training failed" if error is None else words_of_error(error))

from __future__ import annotations

from typing import Any


class TrainingCallback:
    def before_training(self, model: Any) -> Any:
        return model

    def after_training(self, model: Any) -> Any:
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        return False


class EarlyStopping(TrainingCallback):
    """Stops in the round behind the first one that is no better."""

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        losses = evals_log["train"]["rmse"]
        return len(losses) > 1 and losses[-1] >= losses[-2]

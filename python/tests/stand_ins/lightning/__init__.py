"""Lightning's Trainer: _call_and_handle_interrupt, the logger connector, the teardown."""

from __future__ import annotations

from typing import Any


class Trainer:
    def __init__(self, logger: Any) -> None:
        self.logger = logger
        self.global_step = 0

    def fit(self, losses: list[float], fails: BaseException | None = None) -> None:
        self._handle(lambda: self._fit(losses, fails))

    def test(self, accuracy: float) -> None:
        self._handle(lambda: self._log({"test_accuracy": accuracy, "epoch": 0}))

    def _handle(self, run: Any) -> None:
        try:
            # _call_setup_hook
            _ = self.logger.experiment
            run()
            # _call_teardown_hook
            self.logger.finalize("success")
        except BaseException:
            self.logger.finalize("failed")
            raise

    def _fit(self, losses: list[float], fails: BaseException | None) -> None:
        self.logger.log_hyperparams({"width": 8})
        self.logger.log_graph(None)
        self.logger.save()
        for loss in losses:
            self._log({"train_loss": loss, "epoch": 0})
            self.global_step += 1
        if fails is not None:
            raise fails

    def _log(self, metrics: dict[str, float]) -> None:
        self.logger.log_metrics(metrics=metrics, step=self.global_step)
        self.logger.save()

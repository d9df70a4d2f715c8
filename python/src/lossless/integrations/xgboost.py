"""A callback for XGBoost.

xgboost.train(..., callbacks=[LosslessCallback(project="tables")])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._recording import Recording, absent

try:
    from xgboost.callback import TrainingCallback
except ImportError as missing:
    raise absent("XGBoost", "xgboost", missing) from None


class LosslessCallback(TrainingCallback):
    """
    `experiment`, or the arguments of `lossless.init`. Metrics are named `<data>/<metric>`, with the
    round as step. A cross-validation has its deviations as `<data>/<metric>-std`. Of several
    workers the first one records.

    The own experiment ends with the training; a failed one with the next one, or the process.
    """

    def __init__(self, experiment: Any = None, **arguments: Any) -> None:
        super().__init__()
        self._recording = Recording(experiment, arguments)
        # The running round and the earlier state of the history, until its values are recorded.
        self._round: tuple[int, Mapping[str, Mapping[str, list[Any]]], int] | None = None

    def before_training(self, model: Any) -> Any:
        if _is_first():
            # Begun here, so that a training that fails in its first round is recorded too.
            self._recording.training().config.update(_attributes(model))
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: Mapping[str, Mapping[str, list[Any]]]) -> bool:
        self._round = (epoch, evals_log, _entries(evals_log))
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: Mapping[str, Mapping[str, list[Any]]]) -> bool:
        if _is_first():
            self._log(epoch, evals_log)
        self._round = None
        return False

    def after_training(self, model: Any) -> Any:
        if _is_first():
            # A callback before this one that stops the training keeps the last round from it.
            if self._round is not None and _entries(self._round[1]) > self._round[2]:
                self._log(*self._round[:2])
            self._recording.finish()
        self._round = None
        return model

    def _log(self, epoch: int, evals_log: Mapping[str, Mapping[str, list[Any]]]) -> None:
        values: dict[str, Any] = {}
        for data, metrics in evals_log.items():
            for name, history in metrics.items():
                last = history[-1]
                if isinstance(last, tuple):
                    values[f"{data}/{name}"], values[f"{data}/{name}-std"] = last
                else:
                    values[f"{data}/{name}"] = last
        self._recording.experiment.log(values, epoch)


def _attributes(model: Any) -> dict[str, Any]:
    """Returns a booster's own attributes; a pack of them (cross-validation) has none."""
    save_config = getattr(model, "save_config", None)
    if save_config is None:
        return {}
    import json

    return {"xgboost": json.loads(save_config())}


def _entries(evals_log: Mapping[str, Mapping[str, list[Any]]]) -> int:
    return sum(len(history) for metrics in evals_log.values() for history in metrics.values())


def _is_first() -> bool:
    from xgboost import collective

    return int(collective.get_rank()) == 0

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
    `experiment`, or the arguments of `lossless.init`. Metrics are named `<data>/<metric>`, their step is the round. Of
    a cross-validation the deviations are `<data>/<metric>-std`. Of several workers the first one records.
    """

    def __init__(self, experiment: Any = None, **arguments: Any) -> None:
        super().__init__()
        self._recording = Recording(experiment, arguments)

    def before_training(self, model: Any) -> Any:
        if _is_first():
            # Begun here, so that a training that fails in its first round is there too.
            self._recording.experiment.config.update(_attributes(model))
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: Mapping[str, Mapping[str, list[Any]]]) -> bool:
        if not _is_first():
            return False
        values: dict[str, Any] = {}
        for data, metrics in evals_log.items():
            for name, history in metrics.items():
                last = history[-1]
                if isinstance(last, tuple):
                    values[f"{data}/{name}"], values[f"{data}/{name}-std"] = last
                else:
                    values[f"{data}/{name}"] = last
        self._recording.experiment.log(values, epoch)
        return False

    def after_training(self, model: Any) -> Any:
        if _is_first():
            self._recording.finish()
        return model


def _attributes(model: Any) -> dict[str, Any]:
    """What a booster tells of itself; a pack of them (cross-validation) tells nothing."""
    save_config = getattr(model, "save_config", None)
    if save_config is None:
        return {}
    import json

    return {"xgboost": json.loads(save_config())}


def _is_first() -> bool:
    from xgboost import collective

    return int(collective.get_rank()) == 0

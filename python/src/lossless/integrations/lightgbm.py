"""A callback for LightGBM.

lightgbm.train(..., callbacks=[LosslessCallback(project="tables")])
"""

from __future__ import annotations

from typing import Any

from ._recording import Recording, absent

try:
    import lightgbm  # noqa: F401
except ImportError as missing:
    raise absent("LightGBM", "lightgbm", missing) from None


class LosslessCallback:
    """
    `experiment`, or the arguments of `lossless.init`. Metrics are named `<data>/<metric>`, with the
    iteration as step. The deviations of a cross-validation are `<data>/<metric>-std`.

    LightGBM does not tell its callbacks that another one has stopped it (early_stopping): then the
    experiment ends with `finish()` of this callback, with the next training, or with the process.
    """

    # Runs after callbacks that change parameters, and before early_stopping, which raises.
    order = 15
    before_iteration = False

    def __init__(self, experiment: Any = None, **arguments: Any) -> None:
        self._recording = Recording(experiment, arguments, self._is_stopped_early)
        self._model: Any = None

    def __call__(self, env: Any) -> None:
        if env.iteration == env.begin_iteration:
            self._recording.training().config.update({"lightgbm": env.params})
            self._model = env.model
        experiment = self._recording.experiment
        values: dict[str, Any] = {}
        for result in env.evaluation_result_list or []:
            values.update(_values(result))
        experiment.log(values, env.iteration)
        if env.iteration == env.end_iteration - 1:
            self.finish()

    def finish(self) -> None:
        """Ends the experiment, if it was begun here."""
        self._model = None
        self._recording.finish()

    def _is_stopped_early(self) -> bool:
        """Whether it was stopped early: only then does LightGBM note a best iteration."""
        return self._model is not None and self._model.best_iteration > 0


def _values(result: Any) -> dict[str, Any]:
    """
    Returns values of (data, metric, value, higher is better[, deviation]), or LightGBM 4.7's class.
    """
    if hasattr(result, "dataset_name"):
        data, name, value, deviation = (
            result.dataset_name,
            result.metric_name,
            result.metric_value,
            getattr(result, "metric_std_dev", None),
        )
    else:
        data, name, value = result[:3]
        deviation = result[4] if len(result) > 4 else None
        if data == "cv_agg":
            data, _, name = name.partition(" ")
    found = {f"{data}/{name}": value}
    if deviation is not None:
        found[f"{data}/{name}-std"] = deviation
    return found

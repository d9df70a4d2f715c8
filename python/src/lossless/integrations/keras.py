"""A callback for Keras 3 and tf.keras.

model.fit(..., callbacks=[LosslessCallback(project="mnist")])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._recording import Recording, absent

try:
    import keras
except ImportError as missing:
    try:
        from tensorflow import keras
    except ImportError:
        raise absent("Keras", "keras", missing) from None


class LosslessCallback(keras.callbacks.Callback):
    """
    `experiment`, or the arguments of `lossless.init`. The values of an epoch are recorded under Keras' names, their step
    is the epoch. With `every_batches` those of every so many batches too, as `batch/…`; their step counts batches.
    """

    def __init__(self, experiment: Any = None, *, every_batches: int = 0, **arguments: Any) -> None:
        super().__init__()
        self._recording = Recording(experiment, arguments)
        self._every_batches = every_batches
        self._batches = 0

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        params = {name: value for name, value in (self.params or {}).items() if value is not None}
        self._recording.experiment.config.update({"fit": params})

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._batches += 1
        if self._every_batches and self._batches % self._every_batches == 0:
            values = {f"batch/{name}": value for name, value in (logs or {}).items()}
            self._recording.experiment.log(values, self._batches)

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._recording.experiment.log(dict(logs or {}), epoch)

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self._recording.finish()

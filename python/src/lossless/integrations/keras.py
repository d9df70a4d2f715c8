"""A callback for Keras 3 and tf.keras.

callback = LosslessCallback(project="mnist")
model.fit(..., callbacks=[callback])
model.evaluate(..., callbacks=[callback])
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
    `experiment`, or the arguments of `lossless.init`. The values of an epoch are recorded under
    Keras' names, with the epoch as step. With `every_batches`, values of every that many batches
    too, as `batch/…`; their step counts batches. An evaluation is recorded as `test/…` at the epoch
    before it.

    The own experiment stays open for an evaluation, until `finish()`, the end of the process, or
    another fit; a resumed one (`initial_epoch`) continues the same experiment.
    """

    def __init__(self, experiment: Any = None, *, every_batches: int = 0, **arguments: Any) -> None:
        super().__init__()
        self._recording = Recording(experiment, arguments)
        self._every_batches = every_batches
        self._batches = 0
        self._epoch = 0
        self._is_fitting = False
        self._is_first_epoch = False

    def set_params(self, params: Any) -> None:
        # A fit, an evaluation or a prediction begins. A validation within a fit has the fit's.
        super().set_params(params)
        self._is_fitting = False

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        self._is_fitting = self._is_first_epoch = True

    def on_epoch_begin(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        if not self._is_first_epoch:
            return
        self._is_first_epoch = False
        self._epoch = epoch
        if epoch == 0:
            self._batches = 0
        params = {name: value for name, value in (self.params or {}).items() if value is not None}
        self._recording.training(goes_on=epoch > 0).config.update({"fit": params})

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._batches += 1
        if self._every_batches and self._batches % self._every_batches == 0:
            values = {f"batch/{name}": value for name, value in (logs or {}).items()}
            self._recording.experiment.log(values, self._batches)

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._epoch = epoch
        self._recording.experiment.log(dict(logs or {}), epoch)

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self._is_fitting = False
        self._recording.trained()

    def on_test_end(self, logs: Mapping[str, Any] | None = None) -> None:
        if not self._is_fitting:
            values = {f"test/{name}": value for name, value in (logs or {}).items()}
            self._recording.experiment.log(values, self._epoch)

    def finish(self) -> None:
        """Ends the experiment, if it was begun here."""
        self._recording.finish()

"""Keras' Model.fit and evaluate as callbacks see them: a validation has its fit's callbacks."""

from __future__ import annotations

from typing import Any

from . import callbacks as callbacks


class Model:
    def fit(
        self,
        losses: list[float],
        callbacks: list[Any],
        initial_epoch: int = 0,
        validation: float | None = None,
        fails: BaseException | None = None,
    ) -> None:
        container = _CallbackList(callbacks, epochs=initial_epoch + len(losses), steps=2, verbose=0)
        container.call("on_train_begin")
        for epoch, loss in enumerate(losses, initial_epoch):
            container.call("on_epoch_begin", epoch)
            for batch in range(2):
                container.call("on_train_batch_end", batch, {"loss": loss})
            if fails is not None:
                raise fails
            logs = {"loss": loss}
            if validation is not None:
                self.evaluate(validation, container)
                logs["val_loss"] = validation
            container.call("on_epoch_end", epoch, logs)
        container.call("on_train_end", logs)

    def evaluate(self, loss: float, callbacks: Any) -> None:
        if not isinstance(callbacks, _CallbackList):
            callbacks = _CallbackList(callbacks, epochs=1, steps=1, verbose=0)
        callbacks.call("on_test_begin")
        callbacks.call("on_test_end", {"loss": loss})


class _CallbackList:
    def __init__(self, callbacks: list[Any], **params: Any) -> None:
        self._callbacks = callbacks
        for callback in callbacks:
            callback.set_params(params)

    def call(self, event: str, *values: Any) -> None:
        for callback in self._callbacks:
            getattr(callback, event)(*values)

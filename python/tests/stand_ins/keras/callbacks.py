from __future__ import annotations

from typing import Any


class Callback:
    params: Any = None

    def set_params(self, params: Any) -> None:
        self.params = params

    def on_train_begin(self, logs: Any = None) -> None: ...

    def on_train_end(self, logs: Any = None) -> None: ...

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None: ...

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None: ...

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None: ...

    def on_test_begin(self, logs: Any = None) -> None: ...

    def on_test_end(self, logs: Any = None) -> None: ...


class ModelCheckpoint(Callback):
    """Writes a file at the end of each epoch."""

    def __init__(
        self, filepath: str, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False
    ) -> None:
        self._path = filepath

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._save_model(epoch, None, logs)

    def _save_model(self, epoch: int, batch: Any, logs: Any) -> None:
        with open(self._get_file_path(epoch, batch, logs), "w") as file:
            file.write(f"epoch {epoch}")

    def _get_file_path(self, epoch: int, batch: Any, logs: Any) -> str:
        return self._path.format(epoch=epoch + 1)

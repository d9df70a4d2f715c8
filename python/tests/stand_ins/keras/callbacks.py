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

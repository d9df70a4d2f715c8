from __future__ import annotations

from typing import Any


def rank_zero_experiment(get: Any) -> Any:
    return get


class Logger:
    def log_graph(self, model: Any, input_array: Any = None) -> None: ...

    def save(self) -> None: ...

    def finalize(self, status: str) -> None:
        self.save()

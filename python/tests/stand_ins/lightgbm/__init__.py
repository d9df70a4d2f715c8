"""LightGBM's train: callbacks stop it by an exception, and the booster notes the best iteration."""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import Any


class EarlyStopException(Exception):
    def __init__(self, best_iteration: int) -> None:
        super().__init__()
        self.best_iteration = best_iteration


class Booster:
    best_iteration = -1


@dataclasses.dataclass
class CallbackEnv:
    model: Booster
    params: dict[str, Any]
    iteration: int
    begin_iteration: int
    end_iteration: int
    evaluation_result_list: list[Any] | None


class early_stopping:
    """Stops in the iteration behind the first one that is no better."""

    order = 30
    before_iteration = False

    def __init__(self) -> None:
        self._best: float | None = None

    def __call__(self, env: CallbackEnv) -> None:
        assert env.evaluation_result_list is not None
        loss = env.evaluation_result_list[0][2]
        if self._best is not None and loss >= self._best:
            raise EarlyStopException(env.iteration - 1)
        self._best = loss


def train(losses: list[float], callbacks: list[Any], fails: BaseException | None = None) -> Booster:
    booster = Booster()
    booster.best_iteration = 0
    for iteration, loss in enumerate(losses):
        if fails is not None and iteration == len(losses) - 1:
            raise fails
        results = [("valid_0", "l2", loss, False)]
        try:
            for each in sorted(callbacks, key=attrgetter("order")):
                each(CallbackEnv(booster, {"metric": "l2"}, iteration, 0, len(losses), results))
        except EarlyStopException as stopped:
            booster.best_iteration = stopped.best_iteration + 1
            break
    return booster

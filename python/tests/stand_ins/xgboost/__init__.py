"""XGBoost's train with CallbackContainer, which asks no callback behind one that stops training."""

from __future__ import annotations

from typing import Any

from . import callback as callback
from . import collective as collective


class Booster:
    def save_config(self) -> str:
        return '{"learner": {"rounds": "5"}}'

    def get_score(self, importance_type: str) -> dict[str, float]:
        return {"f0": 2.0, f"by_{importance_type}": 1.0}

    def attr(self, name: str) -> str | None:
        return None

    def save_model(self, path: str) -> None:
        with open(path, "w") as file:
            file.write("booster")


def train(losses: list[float], callbacks: list[Any], evals_result: dict[str, Any] | None = None) -> Booster:
    booster = Booster()
    history: dict[str, dict[str, list[Any]]] = {}
    for each in callbacks:
        assert each.before_training(model=booster) is booster
    for epoch, loss in enumerate(losses):
        if any(each.before_iteration(booster, epoch, history) for each in callbacks):
            break
        history.setdefault("train", {}).setdefault("rmse", []).append(loss)
        if any(each.after_iteration(booster, epoch, history) for each in callbacks):
            break
    for each in callbacks:
        assert each.after_training(model=booster) is booster
    if evals_result is not None:
        evals_result.update(history)
    return booster

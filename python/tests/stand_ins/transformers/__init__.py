"""Trainer.train, evaluate, predict and log of transformers, as far as callbacks see them."""

from __future__ import annotations

from typing import Any


class TrainerCallback:
    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None: ...

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None: ...

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None: ...

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None: ...

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None: ...

    def on_predict(self, args: Any, state: Any, control: Any, metrics: Any, **kwargs: Any) -> None: ...

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None: ...


class TrainerState:
    global_step = 0
    is_world_process_zero = True


class TrainingArguments:
    def to_dict(self) -> dict[str, Any]:
        return {"learning_rate": 0.5}


class Trainer:
    def __init__(self, callbacks: list[Any]) -> None:
        self.args = TrainingArguments()
        self.state = TrainerState()
        self.callbacks = callbacks
        self._call("on_init_end")

    def train(self, losses: list[float], resume_from: int = 0, fails: BaseException | None = None) -> None:
        self.state = TrainerState()
        self.state.global_step = resume_from
        self._call("on_train_begin")
        for loss in losses:
            self.state.global_step += 1
            self._call("on_step_end")
            self.log({"loss": loss})
        if fails is not None:
            raise fails
        self.log({"train_runtime": 0.25})
        self._call("on_train_end")

    def evaluate(self, loss: float) -> None:
        self.log({"eval_loss": loss})
        self._call("on_evaluate", metrics={"eval_loss": loss})

    def predict(self, loss: float) -> None:
        self._call("on_predict", metrics={"test_loss": loss})

    def log(self, logs: dict[str, float]) -> None:
        self._call("on_log", logs=logs)

    def _call(self, event: str, **kwargs: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, event)(self.args, self.state, None, model=None, processing_class=None, **kwargs)

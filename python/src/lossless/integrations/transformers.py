"""A callback for the Trainer of Hugging Face.

trainer = Trainer(..., callbacks=[LosslessCallback(project="llm")])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._recording import Recording, absent

try:
    from transformers import TrainerCallback
except ImportError as missing:
    raise absent("transformers", "transformers", missing) from None


class LosslessCallback(TrainerCallback):
    """
    `experiment`, or the arguments of `lossless.init`. The arguments of the Trainer become the
    config. Metrics are named `train/…`, `eval/…` and `test/…`, with the Trainer's step. Only the
    first process records.

    The own experiment stays open for `evaluate` and `predict`, until `finish()`, the end of the
    process, or another training; one resumed from a checkpoint continues the same experiment.
    """

    def __init__(self, experiment: Any = None, **arguments: Any) -> None:
        self._recording = Recording(experiment, arguments)

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        if not state.is_world_process_zero:
            return
        model_config = getattr(model, "config", None)
        to_dict = getattr(model_config, "to_dict", None)
        content = {"trainer": args.to_dict(), **({"model": to_dict()} if callable(to_dict) else {})}
        self._recording.training(goes_on=state.global_step > 0).config.update(content)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        if state.is_world_process_zero and logs:
            self._recording.experiment.log({_named(name): value for name, value in logs.items()}, state.global_step)

    def on_predict(self, args: Any, state: Any, control: Any, metrics: Mapping[str, Any], **_: Any) -> None:
        # Also called before and after a training; a prediction alone begins no experiment.
        if state.is_world_process_zero and self._recording.has_begun:
            self.on_log(args, state, control, metrics)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            self._recording.trained()

    def finish(self) -> None:
        """Ends the experiment, if it was begun here."""
        self._recording.finish()


def _named(name: str) -> str:
    for part in ("eval", "test"):
        if name.startswith(f"{part}_"):
            return f"{part}/{name[len(part) + 1 :]}"
    return f"train/{name}"

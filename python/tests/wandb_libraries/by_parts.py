"""As Ray 2.60: names out of W&B's inner modules, a sign-in, and a check of what may be logged."""

import os
import uuid
from numbers import Number

import wandb
from wandb.sdk.data_types.base_types.wb_value import WBValue
from wandb.sdk.data_types.image import Image
from wandb.sdk.data_types.video import Video
from wandb.util import json_dumps_safer
from wandb.wandb_run import Run

if not os.environ.get("WANDB_API_KEY"):
    wandb.ensure_configured()
    if not wandb.api.api_key:
        raise ValueError("No WandB API key found.")


def is_allowed(value):
    if isinstance(value, (list, tuple)) and value:
        return isinstance(value[0], (Image, Video, WBValue))
    return isinstance(value, (Number, WBValue))


def is_json(value):
    try:
        json_dumps_safer(value)
    except Exception:
        return False
    return True


assert is_allowed(1.0) and is_allowed([Image("x.png")]) and is_allowed(wandb.Histogram([1])) and not is_allowed("text")
assert is_json({"a": [1]}) and not is_json(object())
run = wandb.init(
    id=f"by_parts_{uuid.uuid4().hex[:8]}",
    name="by_parts",
    resume=False,
    reinit=True,
    allow_val_change=True,
    group="g",
    project="libraries",
    config={"lr": 0.5},
)
assert isinstance(run, Run)
run.config.trial_log_path = "here"
for step in range(3):
    wandb.config.update({"date": "today"}, allow_val_change=True)
    wandb.log({"loss": 0.5**step, "training_iteration": step}, step=step)
print(run.slug)
wandb.finish()

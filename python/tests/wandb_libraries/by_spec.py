"""As transformers 5.24: `is_wandb_available`, then the callback of its Trainer."""

import importlib.util


def is_wandb_available():
    if importlib.util.find_spec("wandb") is None:
        return False
    import wandb

    return hasattr(wandb, "run")


assert is_wandb_available()

import wandb
from wandb.sdk.lib.config_util import ConfigError

assert wandb.run is None
wandb.init(project="libraries", **{"name": "by_spec"})
wandb.config.update({"lr": 0.5}, allow_val_change=True)
if getattr(wandb, "define_metric", None):
    wandb.define_metric("train/global_step")
    wandb.define_metric("*", step_metric="train/global_step", step_sync=True)
wandb.run._label(code="transformers_trainer")
try:
    wandb.config["model/num_parameters"] = 7
except ConfigError:
    raise AssertionError("a config may be set") from None
for step in range(3):
    wandb.log({"loss": 0.5**step, "train/global_step": step})
wandb.run.summary["train_loss"] = 0.25
assert {k: v for k, v in dict(wandb.summary).items() if k == "train_loss"} == {"train_loss": 0.25}
print(wandb.run.slug)

"""As accelerate 1.15: a package is there if it has metadata."""

import importlib.metadata
import importlib.util

assert importlib.util.find_spec("wandb") is not None
assert importlib.metadata.metadata("wandb")["Name"] == "wandb"

import wandb

run = wandb.init(project="libraries", name="by_metadata")
wandb.config.update({"lr": 0.5}, allow_val_change=True)
for step in range(3):
    run.log({"loss": 0.5**step}, step=step)
run.finish()
print(run.slug)

"""As Lightning 2.6: `RequirementCache("wandb>=0.12.10")`, names for types, a run."""

import importlib.metadata

distribution = importlib.metadata.distribution("wandb")
assert tuple(map(int, distribution.version.split(".")[:3])) >= (0, 12, 10), distribution.version
assert importlib.metadata.version("wandb") == distribution.version
assert "wandb" in importlib.metadata.packages_distributions()

import wandb
from wandb.sdk.lib import RunDisabled
from wandb.wandb_run import Run

wandb.require("service")
assert isinstance(wandb.init(mode="disabled"), RunDisabled)
wandb.finish()
run = wandb.init(project="libraries", name="by_requirement", id=None, resume="allow", anonymous=None)
assert isinstance(run, (Run, RunDisabled)) and getattr(run, "_attach_id", None) is None
run.define_metric("trainer/global_step")
run.define_metric("*", step_metric="trainer/global_step", step_sync=True)
run.config.update({"lr": 0.5}, allow_val_change=True)
run.watch(object(), log="gradients", log_freq=100, log_graph=True)
for step in range(3):
    run.log({"loss": 0.5**step, "trainer/global_step": step})
print(run.slug)

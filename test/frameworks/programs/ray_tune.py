import math
import os

os.environ["RAY_TRAIN_V2_ENABLED"] = "0"

import ray
from _told import tell
from ray import tune
from ray.air.integrations.wandb import WandbLoggerCallback

ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR", object_store_memory=100_000_000)


def train(config):
    for epoch in range(3):
        tune.report({"loss": config["lr"] * epoch})


results = tune.Tuner(
    train,
    param_space={"lr": tune.grid_search([0.5, 0.25])},
    run_config=tune.RunConfig(
        storage_path=os.path.abspath("results"),
        callbacks=[WandbLoggerCallback(project="ray", log_config=True)],
        verbose=0,
    ),
).fit()
assert results.num_errors == 0
runs = []
for result in results:
    points = {}
    for row in result.metrics_dataframe.to_dict("records"):
        for name, value in row.items():
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if is_number and name not in ("pid", "done"):
                points.setdefault(name, []).append([row["training_iteration"], float(value)])
    runs.append({"name": f"ray/{result.metrics['trial_id']}", "points": points, "config": {"lr": result.config["lr"]}})
ray.shutdown()
tell(*runs)

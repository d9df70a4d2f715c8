import lossless as wandb

import json

sweep_configuration = {
    "method": "random",
    "metric": {"name": "score", "goal": "maximize"},
    "parameters": {"x": {"min": 0.01, "max": 0.1}, "y": {"values": [1, 3, 7]}},
}
results = {}


def objective(config):
    return config.x**3 + config.y


def main():
    with wandb.init(project="sweep") as run:
        assert 0.01 <= run.config.x <= 0.1 and run.config.y in (1, 3, 7)
        score = objective(run.config)
        run.log({"score": score})
        results[run.path] = {"score": [score]}


sweep_id = wandb.sweep(sweep=sweep_configuration, project="sweep")
wandb.agent(sweep_id, function=main, count=3)
assert len(results) == 3 and len(wandb.Api().runs("sweep", {"group": sweep_id})) == 3
print(json.dumps(results))

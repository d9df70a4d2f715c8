import lossless as wandb

import json

sweep_configuration = {
    "method": "bayes",
    "metric": {"name": "score", "goal": "maximize"},
    "parameters": {"x": {"min": 0.01, "max": 0.1}, "y": {"values": [1, 3, 7]}},
}


def objective(config):
    return config.x**3 + config.y


def main():
    with wandb.init(project="sweep") as run:
        run.log({"score": objective(run.config)})


sweep_id = wandb.sweep(sweep=sweep_configuration, project="sweep")
# There is no controller: it calls nothing, and says so.
wandb.agent(sweep_id, function=main, count=10)

# This is what to do instead.
results = {}
for y in sweep_configuration["parameters"]["y"]["values"]:
    with wandb.init(project="sweep", config={"x": 0.05, "y": y}) as run:
        score = objective(run.config)
        run.log({"score": score})
        results[run.path] = {"score": [score]}
print(json.dumps(results))

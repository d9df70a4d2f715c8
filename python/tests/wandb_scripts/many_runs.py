import lossless as wandb

import json

results = {}
for lr in (0.1, 0.01):
    for seed in range(2):
        run = wandb.init(
            project="grid",
            group=f"lr-{lr}",
            job_type="trial",
            name=f"lr-{lr}-seed-{seed}",
            config={"lr": lr, "seed": seed},
            reinit=True,
            settings=wandb.Settings(start_method="thread"),
        )
        values = [(1 - run.config.lr) ** epoch + run.config.seed for epoch in range(5)]
        for value in values:
            run.log({"loss": value})
        wandb.summary["final"] = values[-1]
        results[run.path] = {"loss": values}
        run.finish()

print(json.dumps(results))

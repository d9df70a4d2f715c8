import lossless as wandb

import json
import os
import tempfile

run_id = wandb.util.generate_id()
checkpoint = os.path.join(tempfile.mkdtemp(), "checkpoint.json")


def train(until):
    run = wandb.init(project="resumed", id=run_id, resume="allow", config={"epochs": 6})
    start = 0
    if wandb.run.resumed or os.path.exists(checkpoint):
        with open(checkpoint) as file:
            start = json.load(file)["epoch"] + 1
    for epoch in range(start, until):
        wandb.log({"loss": 1 / (epoch + 1), "epoch": epoch}, step=epoch)
        with open(checkpoint, "w") as file:
            json.dump({"epoch": epoch}, file)
    wandb.finish()
    return run.path


assert train(3) == train(6)
print(json.dumps({train(6): {"loss": [1 / (epoch + 1) for epoch in range(6)], "epoch": list(range(6))}}))

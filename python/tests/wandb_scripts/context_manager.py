import lossless as wandb

import json
import math

config = dict(lr=0.1, momentum=0.9, layers=[64, 32], optimizer={"name": "sgd", "nesterov": True})
losses, best = [], math.inf

with wandb.init(project="context", name="descent", config=config, tags=["baseline"], notes="x squared") as run:
    x, velocity = 3.0, 0.0
    for step in range(100):
        gradient = 2 * x
        velocity = run.config["momentum"] * velocity - run.config.lr * gradient
        x += velocity
        loss = x * x
        best = min(best, loss)
        run.log({"loss": loss, "x": x}, step=step)
        losses.append(loss)
    run.summary["best_loss"] = best
    run.summary.update({"steps": step + 1})
    run.tags = run.tags + ("finished",)
    assert run.config.optimizer["name"] == "sgd" and run.summary["best_loss"] == best
    print(json.dumps({run.path: {"loss": losses}}))

import lossless as wandb

import argparse
import json
import random

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()

run = wandb.init(project="command-line", job_type="train", dir=None, save_code=True, resume="allow")
wandb.config.update(args)
wandb.config.update({"seed": 1}, allow_val_change=True)
cfg = wandb.config
random.seed(cfg.seed)

run.define_metric("epoch")
run.define_metric("val/*", step_metric="epoch", summary="max")

train, val, rates = [], [], []
step = 0
for epoch in range(cfg.epochs):
    for batch in range(5):
        loss = random.random()
        train.append(loss)
        rates.append(cfg.lr * 0.9**epoch)
        # This is one step in two calls.
        wandb.log({"train": {"loss": loss, "batch": batch}}, commit=False)
        wandb.log({"lr": rates[-1]})
        step += 1
    accuracy = random.random()
    val.append(accuracy)
    wandb.log({"val/accuracy": accuracy, "epoch": epoch})
assert run.step == step + cfg.epochs
assert cfg["batch_size"] == 32 and "no_cuda" in cfg and cfg.get("missing", 7) == 7

print(json.dumps({run.path: {"train.loss": train, "lr": rates, "val/accuracy": val, "epoch": list(range(cfg.epochs))}}))

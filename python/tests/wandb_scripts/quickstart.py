import lossless as wandb

import json
import random

epochs = 10
offset = random.random() / 5

wandb.login()
wandb.init(
    entity="my-team",
    project="quickstart",
    config={"learning_rate": 0.02, "architecture": "CNN", "dataset": "CIFAR-100", "epochs": epochs},
)

history = {"acc": [], "loss": []}
for epoch in range(2, epochs):
    acc = 1 - 2**-epoch - random.random() / epoch - offset
    loss = 2**-epoch + random.random() / epoch + offset
    wandb.log({"acc": acc, "loss": loss})
    history["acc"].append(acc)
    history["loss"].append(loss)

print(json.dumps({wandb.run.path: history}))
wandb.finish()

import lossless as wandb

import json
import math
import sys

try:
    wandb.login(key="0" * 40, relogin=True, timeout=1)
    run = wandb.init(project="careful", entity=None, magic=True, anonymous="allow", sync_tensorboard=False)
except (wandb.errors.CommError, wandb.Error) as error:
    sys.exit(f"cannot record: {error}")

run.name = f"careful-{run.id}"
wandb.run.save()
wandb.run.log_code(".")
wandb.termlog("training begins")

losses = []
try:
    for step in range(8):
        loss = math.nan if step == 3 else math.inf if step == 4 else 1.0 / (step + 1)
        if math.isfinite(loss):
            losses.append(loss)
        elif wandb.run is not None:
            wandb.alert(
                title="Loss is not finite", text=f"at step {step}", level=wandb.AlertLevel.WARN, wait_duration=60
            )
        wandb.log({"loss": loss, "lr": "constant", "flag": step % 2 == 0, "none": None}, step=step)
finally:
    path = run.path
    wandb.finish(exit_code=0)

for old in wandb.Api().runs("my-team/careful", filters={"state": "finished"}):
    print(old.name, old.history())
quiet = wandb.init(project="careful", mode="disabled")
quiet.log({"loss": 1.0})
quiet.finish()

print(json.dumps({path: {"loss": losses, "flag": [1, 0] * 4}}))

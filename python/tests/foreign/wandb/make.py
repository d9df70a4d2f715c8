"""
Makes this store, with wandb 0.31.0, numpy and Pillow: python make.py DIRECTORY

Two runs: one with each kind of value, and one that was killed and then resumed.
"""

import math
import os
import signal
import subprocess
import sys
import time
import wave

import numpy as np
import wandb

os.environ["WANDB_MODE"] = "offline"
where = sys.argv[1]
settings = wandb.Settings(x_disable_stats=len(sys.argv) > 2, x_disable_meta=True)


def whole() -> None:
    sound = os.path.join(where, "s.wav")
    with wave.open(sound, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(bytes(200))
    run = wandb.init(
        project="demo",
        name="first run",
        id="abc12345",
        notes="some\nnotes",
        tags=["a", "b"],
        group="g1",
        job_type="train",
        config={"lr": 0.1, "net": {"depth": 3, "act": "relu"}, "layers": [1, 2]},
        dir=where,
        settings=settings,
    )
    run.define_metric("val/*", step_metric="epoch", summary="min,max")
    print("hello console")
    print("progress 1\rprogress 2\rprogress 3")
    print("err line", file=sys.stderr)
    for step in range(20):
        run.log({"loss": 1 / (step + 1), "acc": np.float32(0.1) * step, "nested": {"x": step, "y": {"z": step * 0.5}}})
    odd = {"nan": math.nan, "inf": math.inf, "ninf": -math.inf, "big": 2**53 + 1, "huge": 2**70, "b": True}
    run.log({**odd, "neg0": -0.0, "phase": "warmup", "none": None, "lst": [1, 2, 3], "tiny": 5e-324})
    run.log({"loss": 0.5}, step=30)
    run.log({"val/loss": 3.0, "epoch": 1})
    for value in (1.0, "oops", 2.0):
        run.log({"mixed": value})
    run.log({"perte/é": 1.5})
    image = np.zeros((8, 8, 3), dtype=np.uint8)
    image[2:4] = 255
    together = [wandb.Image(image, caption="p0"), wandb.Image(image[::-1].copy())]
    run.log(
        {
            "pic": wandb.Image(image, caption="one"),
            "pics": together,
            "hist": wandb.Histogram([1, 2, 3, 4, 4]),
            "tab": wandb.Table(columns=["a", "b"], data=[[1, "x"], [2.5, None], [math.nan, "z"]]),
            "html": wandb.Html("<b>hi</b>"),
            "snd": wandb.Audio(sound, caption="s"),
        }
    )
    run.log({"points": wandb.Object3D(np.zeros((4, 3)))})
    run.summary["best"] = 0.25
    run.config.update({"late": "x"})
    with open(os.path.join(run.dir, "extra.txt"), "w") as out:
        out.write("extra")
    run.alert("oh", "text here")
    time.sleep(1)
    run.finish()


def killed() -> None:
    run = wandb.init(project="demo", id="resumed1", dir=where, settings=settings)
    # W&B writes whole blocks of 32 KiB: some of these are lost.
    for step in range(150):
        run.log({"loss": float(step)})
    time.sleep(2)
    os.kill(os.getpid(), signal.SIGKILL)


def resumed() -> None:
    run = wandb.init(project="demo", id="resumed1", resume="allow", dir=where, settings=settings)
    for step in range(80, 85):
        run.log({"loss": float(10 * step)}, step=step)
    run.finish(exit_code=3)


if len(sys.argv) > 2:
    globals()[sys.argv[2]]()
else:
    for part in ("whole", "killed", "resumed"):
        subprocess.run([sys.executable, __file__, where, part])

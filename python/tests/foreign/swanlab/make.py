"""
Makes this store in DIRECTORY, with swanlab 0.10.3, numpy and Pillow: python make.py DIRECTORY

The list of the machine's packages and its description were left out.
"""

import math
import sys

import numpy as np
import swanlab

swanlab.init(
    project="demo",
    experiment_name="first",
    description="notes",
    tags=["a", "b"],
    group="g",
    config={"lr": 0.1, "net": {"d": 3}},
    mode="offline",
    logdir=sys.argv[1],
)
for step in range(100):
    swanlab.log({"loss": 1 / (step + 1), "val/acc": step / 100}, step=step)
for step, value in enumerate([math.nan, math.inf, 5e-324]):
    swanlab.log({"odd": value}, step=100 + step)
picture = swanlab.Image(np.zeros((8, 8, 3), dtype=np.uint8), caption="c")
swanlab.log({"pic": picture, "txt": swanlab.Text("hello")}, step=103)
print("line one")
swanlab.finish()

"""
Makes this store, with trackio 0.43.0 and numpy: python make.py DIRECTORY

The database is kept as text (demo.sql), and its media as they are.
"""

import math
import os
import sqlite3
import sys

os.environ["TRACKIO_DIR"] = sys.argv[1]

import numpy as np
import trackio

trackio.init(project="demo", name="one", group="g", config={"lr": 0.1, "net": {"d": 3}}, embed=False)
for step in range(20):
    trackio.log({"loss": 1 / (step + 1), "nested": {"x": step}})
odd = {"nan": math.nan, "inf": math.inf, "ninf": -math.inf, "big": 2**53 + 1, "b": True, "txt": "warm", "none": None}
trackio.log({**odd, "lst": [1, 2, 3], "f32": float(np.float32(0.1)), "perte/é": 1.5})
trackio.log({"loss": 0.5}, step=3)
trackio.log({"loss": 0.25}, step=100)
picture = trackio.Image(np.zeros((8, 8, 3), dtype=np.uint8), caption="c")
trackio.log({"pic": picture, "hist": trackio.Histogram([1, 2, 3, 4, 4]), "md": trackio.Markdown("# hi")})
trackio.alert("oh", "text", level=trackio.AlertLevel.WARN)
trackio.finish()
for value in (2.0, 3.0):
    trackio.init(project="demo", name="two", embed=False)
    trackio.log({"loss": value})
    trackio.finish()

path = os.path.join(sys.argv[1], "demo.db")
with open(os.path.join(sys.argv[1], "demo.sql"), "w") as out:
    out.write("\n".join(sqlite3.connect(path).iterdump()) + "\n")

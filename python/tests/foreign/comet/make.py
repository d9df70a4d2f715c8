"""
Makes this archive in DIRECTORY, with comet_ml 3.58.8: python make.py DIRECTORY PICTURE.png

It was packed again, smaller; its files are as they were.
"""

import math
import sys
from pathlib import Path

import comet_ml

experiment = comet_ml.OfflineExperiment(
    project_name="demo", workspace="team", offline_directory=sys.argv[1], log_code=False, auto_output_logging="simple"
)
experiment.set_name("first")
experiment.add_tag("a")
experiment.log_parameters({"lr": 0.1, "net": {"d": 3}})
for step in range(300):
    experiment.log_metric("loss", 1 / (step + 1), step=step, epoch=step // 100)
experiment.log_metric("odd", math.nan, step=1)
experiment.log_metric("odd", math.inf, step=2)
experiment.log_metric("nostep", 3.5)
with experiment.train():
    experiment.log_metric("acc", 0.5, step=1)
experiment.log_text("hello", step=2)
experiment.log_other("note", "x")
experiment.log_image(sys.argv[2], name="pic.png", step=3)
experiment.log_histogram_3d([1, 2, 3], name="h", step=1)
Path("a.txt").write_text("asset")
experiment.log_asset("a.txt", "a.txt")
print("line one")
experiment.end()

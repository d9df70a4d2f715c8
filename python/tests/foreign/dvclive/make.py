"""
Makes this store, with dvclive 3.49.1, numpy and Pillow: python make.py DIRECTORY PICTURE.png

Metrics of several folders by step, with parameters, a summary and a picture.
"""

import math
import sys
from pathlib import Path

from dvclive import Live

where, picture = sys.argv[1:]
with Live(where, save_dvc_exp=False, dvcyaml=None, report=None) as live:
    live.log_params({"lr": 0.1, "net": {"depth": 3, "act": "relu"}, "layers": [16, 32], "note": "a: b", "on": True})
    for step in range(12):
        live.log_metric("train/loss", 1 / (step + 1))
        if step % 4 == 3:
            live.log_metric("val/acc", step / 12)
        live.log_metric("lr", 0.1 * 0.9**step, timestamp=True, plot=True)
        if step == 5:
            live.log_metric("odd", math.nan)
            live.log_image("sample.png", Path(picture))
        live.next_step()
    live.log_metric("test/acc", 0.75, plot=False)

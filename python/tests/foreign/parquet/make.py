"""
Writes a history as W&B's public API gives it, with pandas 2.3.3 and pyarrow 21: python make.py

Its parts lie in `run-abc123-history-v0`, as those of the artifact that W&B keeps of a history.
"""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent / "run-abc123-history-v0"
HERE.mkdir(exist_ok=True)
rows = [
    {
        "_step": step,
        "_timestamp": 1_750_000_000 + step + 0.5,
        "train/loss": 1 / (step + 1),
        "val/acc": step / 30 if step % 10 == 0 else None,
        "note": "warm" if step == 7 else None,
    }
    for step in range(30)
]
pd.DataFrame(rows[:20]).to_parquet(HERE / "0000.parquet", index=False)
pd.DataFrame(rows[20:]).to_parquet(HERE / "0001.parquet", index=False)

"""
Seconds, and those of the processor, in which a Reader has all series of an experiment in arrays, as
columns and as lines in turn. For `npm run bench -- --columns`:

    LOSSLESS_URL=… LOSSLESS_API_KEY=… python python/bench/read_columns.py EXPERIMENT ROUNDS
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import lossless


def main(experiment: str, rounds: int) -> None:
    found: dict[str, dict[str, list[float]]] = {form: {"cpu": [], "wall": []} for form in ("columns", "lines")}
    with lossless.Reader() as reader:
        # One round for warming up.
        for measured in range(rounds + 1):
            for form, figures in found.items():
                reader._client.asks_for_columns = form == "columns"
                began, used = time.perf_counter(), time.process_time()
                points = sum(map(len, reader.all_series(experiment).values()))
                assert points > 0
                if measured:
                    figures["wall"].append(time.perf_counter() - began)
                    figures["cpu"].append(time.process_time() - used)
    medians = {
        form: {name: statistics.median(each) for name, each in figures.items()} for form, figures in found.items()
    }
    print(json.dumps(medians))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

"""What `npm run bench -- --mlflow` measures with MLflow's unmodified client, at one server.

scenarios.py WORD   experiments are named by the word: with the same one it sends the same requests

It prints a line of JSON for each scenario: its name, and the median of its milliseconds.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

from mlflow import MlflowClient
from mlflow.entities import Metric, Param

SERIES = 10
BATCH = 1_000
RUNS = 400


def measure(name: str, rounds: int, work: Callable[[int], object]) -> None:
    """The first round opens connections and fills caches, and is not counted."""
    times = []
    for at in range(rounds + 1):
        started = time.perf_counter()
        work(at)
        times.append(1_000 * (time.perf_counter() - started))
    print(json.dumps({"name": name, "ms": statistics.median(times[1:])}), flush=True)


def batch(number: int) -> list[Metric]:
    """A hundred steps of every series."""
    rows = range(number * BATCH, (number + 1) * BATCH)
    return [Metric(f"m{at % SERIES}", 2 / (1 + at), 1_000 + at, at // SERIES) for at in rows]


def main() -> None:
    word = sys.argv[1]
    client = MlflowClient()
    experiment = client.create_experiment(f"bench {word}")

    # No request is sent twice, so that one who remembers replies knows which is meant.
    single, long = (client.create_run(experiment, at).info.run_id for at in (1_000, 2_000))
    text = "x" * 1_000
    measure("log_metric", 60, lambda at: client.log_metric(single, "m", 1 / (1 + at), 5, at))
    measure("log_batch of 1,000", 39, lambda at: client.log_batch(long, batch(at)))
    measure("the same batch again", 6, lambda at: client.log_batch(long, batch(7)))
    measure("get_run of 40,000 points", 30, lambda at: client.get_run(long))
    measure(
        "get_metric_history of 4,000 points", 10, lambda at: client.get_metric_history(long, "m3")
    )
    measure("log_text of 1 kB", 40, lambda at: client.log_text(single, text, f"notes/{at}.txt"))
    many = client.create_experiment(f"bench {word} search")
    for number in range(RUNS):
        run = client.create_run(many, start_time=1_000 + number).info.run_id
        values = [(number * (31 + 2 * at)) % 997 / 997 for at in range(20)]
        metrics = [Metric(f"m{at}", value, 5, 1) for at, value in enumerate(values)]
        params = [Param(f"p{at}", f"v{number * (3 + at) % 7}") for at in range(20)]
        client.log_batch(run, metrics, params)
    measure("search_runs, all of 400", 5, lambda at: client.search_runs([many], max_results=RUNS))
    asked = {
        "filter_string": "metrics.m1 > 0.2 AND params.p1 != 'v3'",
        "order_by": ["metrics.m2 DESC"],
        "max_results": 20,
    }
    measure("search_runs, 20 of 400", 20, lambda at: client.search_runs([many], **asked))


main()

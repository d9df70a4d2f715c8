"""Records and reads as a training script would, by the client of one tracker. Prints one JSON line.

record.py TRACKER TASK WHERE NAME

TRACKER   lossless, mlflow, fasttrackml, trackio, aim or tensorboard
TASK      many: 100 metrics a step; long: one metric; runs: 50 short runs, one after the other;
          killed: as long, and dies by SIGKILL behind its last call;
          read-many, read-killed: reads what these have recorded
WHERE     the address of a server, or a directory
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import time

MANY = (100, 500)
LONG = 5_000
RUNS = (50, 10, 10)
PREFIX = "metric_"


def value_of(metric: int, step: int) -> float:
    return math.sin(step / 10) + metric


def main() -> None:
    tracker, task, where, name = sys.argv[1:]
    made = TRACKERS[tracker](where)
    if task.startswith("read-"):
        metrics, steps = MANY if task == "read-many" else (1, LONG)
        print(json.dumps(read(made, name, metrics, steps)))
        return
    metrics, steps = MANY if task == "many" else (1, LONG)
    if task == "runs":
        result = record_runs(made, name)
    else:
        result = record(made, name, metrics, steps, is_killed=task == "killed")
    print(json.dumps(result))


def record(made, name: str, metrics: int, steps: int, is_killed: bool) -> dict[str, float]:
    made.begin(name)
    began, used = time.perf_counter(), processor_seconds()
    for step in range(steps):
        made.log({f"{PREFIX}{metric}": value_of(metric, step) for metric in range(metrics)}, step)
    if is_killed:
        os.kill(os.getpid(), signal.SIGKILL)
    called = time.perf_counter()
    made.end()
    ended = time.perf_counter()
    return {
        "points": metrics * steps,
        "calls": steps,
        "calls_s": called - began,
        "whole_s": ended - began,
        "processor_s": processor_seconds() - used,
    }


def record_runs(made, name: str) -> dict[str, float]:
    runs, metrics, steps = RUNS
    began = time.perf_counter()
    for run in range(runs):
        made.begin(f"{name}-{run}")
        for step in range(steps):
            made.log({f"{PREFIX}{metric}": value_of(metric, step) for metric in range(metrics)}, step)
        made.end()
    return {"runs": runs, "points": runs * metrics * steps, "whole_s": time.perf_counter() - began}


def read(made, name: str, metrics: int, steps: int) -> dict[str, float]:
    began = time.perf_counter()
    series = [made.read(name, f"{PREFIX}{metric}") for metric in range(metrics)]
    took = time.perf_counter() - began
    pairs = [(metric, step, value) for metric, points in enumerate(series) for step, value in points]
    distinct = {(metric, step) for metric, step, _ in pairs}
    equal = sum(value_of(metric, step) == value for metric, step, value in pairs)
    sent = metrics * steps
    return {"sent": sent, "read": len(pairs), "distinct": len(distinct), "equal": equal, "whole_s": took}


def processor_seconds() -> float:
    """This process and its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Lossless:
    def __init__(self, where: str) -> None:
        import lossless

        os.environ["LOSSLESS_URL"] = where
        self.module = lossless

    def begin(self, name: str) -> None:
        self.run = self.module.init(id=name, console=False)

    def log(self, values: dict[str, float], step: int) -> None:
        self.run.log(values, step=step)

    def end(self) -> None:
        self.run.finish(quiet=True, timeout=300)

    def read(self, name: str, metric: str):
        try:
            series = self.module.Reader().series(name, metric)
        except self.module.SeriesNotFound:
            return []
        return [(int(step), float(value)) for step, value in zip(series.step, series.value)]


class Mlflow:
    def __init__(self, where: str) -> None:
        import mlflow

        mlflow.set_tracking_uri(where)
        self.module = mlflow
        self.ids: dict[str, str] = {}

    def begin(self, name: str) -> None:
        self.module.start_run(run_name=name)

    def log(self, values: dict[str, float], step: int) -> None:
        self.module.log_metrics(values, step=step)

    def end(self) -> None:
        self.module.end_run()

    def read(self, name: str, metric: str):
        client = self.module.MlflowClient()
        if name not in self.ids:
            found = client.search_runs(["0"], f"attributes.run_name = '{name}'")
            self.ids[name] = found[0].info.run_id
        return [(point.step, point.value) for point in client.get_metric_history(self.ids[name], metric)]


class Trackio:
    project = "bench"

    def __init__(self, where: str) -> None:
        os.environ["TRACKIO_DIR"] = where
        import trackio

        self.module = trackio
        self.rows: dict[str, list] = {}

    def begin(self, name: str) -> None:
        self.module.init(project=self.project, name=name, embed=False)

    def log(self, values: dict[str, float], step: int) -> None:
        self.module.log(values, step=step)

    def end(self) -> None:
        self.module.finish()

    def read(self, name: str, metric: str):
        from trackio.sqlite_storage import SQLiteStorage

        if name not in self.rows:
            self.rows[name] = SQLiteStorage.get_logs(self.project, name)
        return [(row["step"], row[metric]) for row in self.rows[name] if metric in row]


class Aim:
    def __init__(self, where: str) -> None:
        import aim

        self.module, self.where = aim, where

    def begin(self, name: str) -> None:
        self.run = self.module.Run(repo=self.where, system_tracking_interval=None, log_system_params=False)
        self.run.name = name

    def log(self, values: dict[str, float], step: int) -> None:
        self.run.track(values, step=step)

    def end(self) -> None:
        self.run.close()

    def read(self, name: str, metric: str):
        found = self.module.Repo(self.where).query_metrics(f"run.name == '{name}' and metric.name == '{metric}'")
        for run in found.iter_runs():
            for each in run:
                steps, columns = each.data.numpy()
                return [(int(step), float(value)) for step, value in zip(steps, columns[0])]
        return []


class TensorBoard:
    def __init__(self, where: str) -> None:
        self.where = where
        self.accumulators: dict[str, object] = {}

    def begin(self, name: str) -> None:
        from tensorboardX import SummaryWriter

        self.writer = SummaryWriter(os.path.join(self.where, name))

    def log(self, values: dict[str, float], step: int) -> None:
        for metric, value in values.items():
            self.writer.add_scalar(metric, value, step)

    def end(self) -> None:
        self.writer.close()

    def read(self, name: str, metric: str):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        if name not in self.accumulators:
            every = {"scalars": 0, "tensors": 0}
            self.accumulators[name] = EventAccumulator(os.path.join(self.where, name), size_guidance=every)
            self.accumulators[name].Reload()
        found = self.accumulators[name]
        if metric not in found.Tags()["scalars"]:
            return []
        return [(event.step, event.value) for event in found.Scalars(metric)]


TRACKERS = {
    "lossless": Lossless,
    "mlflow": Mlflow,
    "fasttrackml": Mlflow,
    "trackio": Trackio,
    "aim": Aim,
    "tensorboard": TensorBoard,
}

if __name__ == "__main__":
    main()

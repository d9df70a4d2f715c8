"""Writes runs, given as the CSV files of `lossless import`, as TensorBoard and as MLflow keep them.

fill.py tensorboard DIRECTORY FILES...   event files, a folder for each run
fill.py mlflow DIRECTORY FILES...        DIRECTORY/mlflow.db, one experiment with all runs
fill.py whole DIRECTORY FILES...         as tensorboard, with values that are not finite; a run that
                                         is there already goes on
"""

import csv
import gzip
import math
import pathlib
import sys

BASE_TIMESTAMP_MS = 1_704_067_200_000


def main() -> None:
    kind, directory, *files = sys.argv[1:]
    write = {"tensorboard": to_tensorboard, "mlflow": to_mlflow, "whole": to_tensorboard_whole}[kind]
    write(pathlib.Path(directory), [pathlib.Path(file) for file in files])


def points(file: pathlib.Path, whole: bool = False):
    """Each point of a run: name, value, step, timestamp in ms."""
    with gzip.open(file, "rt", newline="") as text:
        for number, row in enumerate(csv.DictReader(text), 1):
            value = float(row["value"])
            if whole or math.isfinite(value):
                elapsed = int(row["elapsed_ms"]) if row["elapsed_ms"] else number
                yield row["metric"], value, int(row["step"]), BASE_TIMESTAMP_MS + elapsed


def name_of(file: pathlib.Path) -> str:
    return file.name.removesuffix(".csv.gz")


def to_tensorboard(directory: pathlib.Path, files: list[pathlib.Path], whole: bool = False) -> None:
    from tensorboardX import SummaryWriter

    for file in files:
        with SummaryWriter(str(directory / name_of(file)), max_queue=10_000) as writer:
            for name, value, step, timestamp_ms in points(file, whole):
                writer.add_scalar(name, value, step, timestamp_ms / 1000)


def to_tensorboard_whole(directory: pathlib.Path, files: list[pathlib.Path]) -> None:
    to_tensorboard(directory, files, whole=True)


def to_mlflow(directory: pathlib.Path, files: list[pathlib.Path]) -> None:
    from mlflow.entities import Metric
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{directory / 'mlflow.db'}")
    experiment = client.create_experiment("nanogpt")
    for file in files:
        run = client.create_run(experiment, run_name=name_of(file)).info.run_id
        rows = [Metric(name, value, at, step) for name, value, step, at in points(file)]
        for first in range(0, len(rows), 1000):
            client.log_batch(run, metrics=rows[first : first + 1000])
        client.set_terminated(run)


main()

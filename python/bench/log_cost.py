"""
What recording costs a training, in one run: a call of log(), the processor time of the training
process, and points a second from the first call until the service has all of them. Beside it a line
appended to a file, and TensorBoard's SummaryWriter where it is installed.

    python3 python/bench/log_cost.py [--calls 100000] [--points 1000000] [--rounds 3] [--sender]

Prints a markdown table for docs/client-python.md; with --sender the last part alone, as JSON, for
`npm run bench`. Starts the service of this checkout.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python/src"), str(ROOT / "python/tests")]

_VALUES = {1: {"train/loss": 0.123456789}, 10: {f"train/metric-{number}": 0.1 / (number + 1) for number in range(10)}}
Log = Callable[[dict[str, float], int], None]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sender", action="store_true")
    arguments = parser.parse_args()
    from service import Service

    if arguments.sender:
        with Service() as service:
            print(json.dumps(_middle(_throughputs(service, arguments.points, arguments.rounds))))
        return
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} processors, load "
        f"{os.getloadavg()[0]:.1f}; "
        f"{arguments.calls:,} calls, the median of {arguments.rounds} rounds\n"
    )
    print("| | values | p50 | p99 | p99.9 | longest | processor time a call | left over for the end |")
    print("|---|---|---|---|---|---|---|---|")
    with Service() as service:
        for kind in ("lossless", "file", "tensorboard"):
            if kind == "tensorboard" and not _has_tensorboard():
                print("| SummaryWriter | absent: tensorboard and torch are not installed | | | | | | |")
                continue
            for values in _VALUES:
                rounds = [_measured(service, kind, values, arguments.calls) for _ in range(arguments.rounds)]
                print(_row(kind, values, rounds), flush=True)
        rounds = _throughputs(service, arguments.points, arguments.rounds)
        print("\n" + _throughput(rounds, arguments.points))


def _has_tensorboard() -> bool:
    return all(importlib.util.find_spec(name) for name in ("torch", "tensorboard"))


def _throughputs(service: Any, points: int, rounds: int) -> list[dict[str, float]]:
    return [_measured(service, "throughput", 10, points // 10) for _ in range(rounds)]


def _middle(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def _measured(service: Any, kind: str, values: int, calls: int) -> dict[str, float]:
    """Measures in a process of its own: what one leaves behind must not burden the next."""
    with tempfile.TemporaryDirectory() as directory:
        environment = service.environment(spool="bench")
        # Metrics of the machine are on, as a training has them.
        del environment["LOSSLESS_SYSTEM"]
        result = subprocess.run(
            [sys.executable, __file__, "--measure", kind, str(values), str(calls)],
            env=environment,
            cwd=directory,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return dict(json.loads(result.stdout.splitlines()[-1]))


def _row(kind: str, values: int, rounds: list[dict[str, float]]) -> str:
    names = {
        "lossless": "`experiment.log`",
        "file": "a JSON line to a file",
        "tensorboard": "`SummaryWriter.add_scalar`",
    }
    middle = _middle(rounds)
    times = " | ".join(f"{middle[name]:.1f} µs" for name in ("p50", "p99", "p999", "longest", "cpu"))
    return f"| {names[kind]} | {values} | {times} | {middle['end']:.2f} s |"


def _throughput(rounds: list[dict[str, float]], points: int) -> str:
    middle = _middle(rounds)
    return (
        f"One client, {points:,} points in calls of 10 as fast as it can: "
        f"{points / middle['stored']:,.0f} points a second "
        f"until all are acknowledged, {points / middle['logged']:,.0f} into the spool. Processor "
        "time for a million points: "
        f"{middle['training_cpu'] * 1e6 / points:.1f} s of the training process, "
        f"{middle['sender_cpu'] * 1e6 / points:.1f} s of the sender's."
    )


def _measure(kind: str, values: int, calls: int) -> dict[str, float]:
    if kind == "throughput":
        return _measure_throughput(calls)
    log, end = {"lossless": _lossless, "file": _file, "tensorboard": _tensorboard}[kind]()
    metrics = _VALUES[values]
    for step in range(1_000):
        log(metrics, step)
    now = time.perf_counter_ns
    taken = []
    cpu_before = time.process_time()
    for step in range(1_000, calls + 1_000):
        before = now()
        log(metrics, step)
        taken.append(now() - before)
    cpu = time.process_time() - cpu_before
    before = now()
    end()
    taken.sort()
    return {
        "p50": taken[calls // 2] / 1e3,
        "p99": taken[calls * 99 // 100] / 1e3,
        "p999": taken[calls * 999 // 1000] / 1e3,
        "longest": taken[-1] / 1e3,
        "cpu": cpu / calls * 1e6,
        "end": (now() - before) / 1e9,
    }


def _measure_throughput(calls: int) -> dict[str, float]:
    import lossless

    experiment = lossless.init("bench")
    cpu_before, began = time.process_time(), time.monotonic()
    metrics = _VALUES[10]
    for step in range(calls):
        experiment.log(metrics, step)
    logged, cpu = time.monotonic() - began, time.process_time() - cpu_before
    report = experiment.finish(timeout=600, quiet=True)
    if not report.is_complete or report.stored != calls * 10:
        raise SystemExit(f"not everything was stored: {report}")
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "logged": logged,
        "stored": time.monotonic() - began,
        "training_cpu": cpu,
        "sender_cpu": children.ru_utime + children.ru_stime,
    }


def _lossless() -> tuple[Log, Callable[[], Any]]:
    import lossless

    experiment = lossless.init("bench")
    return experiment.log, lambda: experiment.finish(timeout=600, quiet=True)


def _file() -> tuple[Log, Callable[[], Any]]:
    """Gives the same safety against the death of the process: one write for each call."""
    file = open("metrics.jsonl", "ab", buffering=0)
    encode = json.JSONEncoder(separators=(",", ":")).encode
    return (lambda metrics, step: file.write(f"{encode([step, metrics])}\n".encode()) and None), file.close


def _tensorboard() -> tuple[Log, Callable[[], Any]]:
    """TensorBoard writes from a queue every two minutes: what a killed process held is lost."""
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter("runs")

    def log(metrics: dict[str, float], step: int) -> None:
        for name, value in metrics.items():
            writer.add_scalar(name, value, step)

    return log, writer.close


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(_measure(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        main()

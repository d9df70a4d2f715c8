"""
What reading a long series back costs: seconds, and memory beyond what the process had before, by
`iter_series`, in pieces, and by `series`, as a whole. Every value is compared with what was
recorded.

    python3 python/bench/read_series.py [--points 1000000] [--rounds 3]

Needs the checkout: it starts the service from there. Memory is read from /proc: Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python/src"), str(ROOT / "python/tests")]

_SLUG = "bench/long"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    from service import Service

    print(
        f"Python {platform.python_version()}, {os.cpu_count()} processors, load "
        f"{os.getloadavg()[0]:.1f}; "
        f"{arguments.points:,} points, the median of {arguments.rounds} rounds\n"
    )
    print("| | seconds | points a second | memory added |")
    print("|---|---|---|---|")
    with Service() as service:
        _run(service, "record", arguments.points)
        for kind in ("iter_series", "series"):
            rounds = [_run(service, kind, arguments.points) for _ in range(arguments.rounds)]
            seconds, added = (statistics.median(each[name] for each in rounds) for name in ("seconds", "added"))
            print(f"| `{kind}` | {seconds:.2f} s | {arguments.points / seconds:,.0f} | {added / 1024:.0f} MiB |")


def _run(service: Any, kind: str, points: int) -> dict[str, float]:
    """Reads in a process of its own: the highest memory of one reader must not hide another's."""
    command = [sys.executable, __file__, "--measure", kind, str(points)]
    environment = service.environment(spool="bench")
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(result.stdout.splitlines()[-1]))


def _measure(kind: str, points: int) -> dict[str, float]:
    if kind == "record":
        return _record(points)
    import lossless

    with lossless.Reader() as reader:
        # This series has one point: what reading loads is loaded before.
        assert reader.series(_SLUG, "short").value[0] == 1.0
        before, began = _highest_kibibytes(), time.monotonic()
        pieces = [reader.series(_SLUG, "loss")] if kind == "series" else reader.iter_series(_SLUG, "loss")
        count, compared = 0, 0.0
        for piece in pieces:
            read = time.monotonic()
            for value in piece.value:
                if value != _value(count):
                    raise SystemExit(f"point {count} reads as {value!r}, recorded was {_value(count)!r}")
                count += 1
            compared += time.monotonic() - read
        seconds = time.monotonic() - began - compared
    if count != points:
        raise SystemExit(f"{count} points were read, recorded were {points}")
    return {"seconds": seconds, "added": _highest_kibibytes() - before}


def _record(points: int) -> dict[str, float]:
    import lossless

    experiment = lossless.init("bench", name="long", id="long")
    experiment.log({"short": 1.0})
    for step in range(points):
        experiment.log({"loss": _value(step)}, step=step)
    report = experiment.finish(timeout=600, quiet=True)
    if not report.is_complete:
        raise SystemExit(f"not everything was stored: {report}")
    return {}


def _value(step: int) -> float:
    return 1.0 / (step + 1)


def _highest_kibibytes() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found.group(1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(_measure(sys.argv[2], int(sys.argv[3]))))
    else:
        main()

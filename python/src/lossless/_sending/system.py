"""
Metrics of the machine: processors, memory, disks, network, the training process, GPUs.

They are sampled in the sender's process, so that the training has no other thread (which would make
fork unsafe) and waits for nothing, not even for a GPU driver that hangs. Samples are appended to a
file of their own in the recording's directory, in the spool's format; their numbers are beyond
those of any training.

    system/cpu_percent                    of all processors together
    system/memory_used_bytes, memory_percent
    system/disk_read_bytes_per_second, disk_written_bytes_per_second
    system/network_received_bytes_per_second, network_sent_bytes_per_second
    system/process_cpu_percent            of the training process: 100 is one processor
    system/process_resident_bytes, process_threads
    system/gpu/0/utilization_percent, memory_used_bytes, memory_percent,
        temperature_celsius, power_watts
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._spool.spool import SYSTEM_FILE
from .._values.records import encode, line_of

# Beyond the numbers of a training, which at a million points a second reaches it after thirty
# years.
_FIRST_NUMBER = 10**15
_SLICE_SECONDS = 0.5
_SECTOR_BYTES = 512
_GPU_SECONDS_MAX = 10.0
_GPU_FAILURES_MAX = 3
# The traffic of these devices is counted for others already.
_NOT_DISKS = ("loop", "ram", "zram", "dm-", "md", "sr", "fd")
_NOT_NETWORKS = ("lo", "veth", "docker", "br-", "virbr", "cni", "flannel", "cali", "tun", "tap")

Counters = dict[str, float]


class Sampler:
    """Measures for one recording, until `lives` returns False or it is stopped."""

    def __init__(
        self,
        directory: Path,
        wanted: Mapping[str, Any],
        created_at_ms: int,
        process_id: int,
        lives: Callable[[], bool],
        wait: Callable[[float], None],
    ) -> None:
        self._path = directory / SYSTEM_FILE
        self._seconds = float(wanted["seconds"])
        self._meta = dict(wanted["meta"])
        self._created_at_ms = created_at_ms
        self._lives = lives
        self._wait = wait
        self._lock = threading.Lock()
        self._machine = Machine(process_id)
        self._is_stopped = False

    def run(self) -> None:
        """Measures, and never raises: a recording works without these metrics."""
        try:
            self._machine.sample()
            due = time.monotonic() + self._seconds
            while self._lives() and not self._is_stopped:
                left = due - time.monotonic()
                if left > 0:
                    self._wait(min(left, _SLICE_SECONDS))
                    continue
                # After a pause of the whole machine one sample is enough.
                due = max(due + self._seconds, time.monotonic())
                values = self._machine.sample()
                with self._lock:
                    # Once it is stopped, the file counts as complete.
                    if values and not self._is_stopped:
                        self._try_write(values)
        except Exception:
            return

    def stop(self) -> None:
        """Stops it: nothing is written after this."""
        with self._lock:
            self._is_stopped = True

    def _try_write(self, values: Counters) -> None:
        """Writes a sample; on a full disk this sample is lost, but not later ones."""
        try:
            self._write(values)
        except OSError:
            return

    def _write(self, values: Counters) -> None:
        now_ms = time.time_ns() // 1_000_000
        step = max(0, (now_ms - self._created_at_ms) // 1_000)
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            # A line has more bytes than points, so no number repeats, even after a restart.
            size = os.fstat(file).st_size
            line = line_of(encode(["m", _FIRST_NUMBER + size, now_ms, step, values, self._meta]))
            if os.write(file, line) != len(line):
                # The next line must not continue it. A line without its end is not read.
                os.ftruncate(file, size)
        finally:
            os.close(file)


class Machine:
    """Returns changes since the last `sample`; the first one has only absolute values."""

    def __init__(self, process_id: int, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> None:
        self._proc = proc
        self._sys = sys
        self._process = proc / str(process_id)
        self._gpus = Gpus()
        self._last: Counters = {}
        self._last_at = 0.0

    def sample(self) -> Counters:
        values: Counters = {}
        counters: Counters = {}
        now = time.monotonic()
        for read in (self._cpu, self._memory, self._disks, self._networks, self._training, self._gpus.read):
            try:
                read(values, counters)
            except (OSError, ValueError, IndexError, KeyError):
                # Another system, or a container that hides the file.
                continue
        self._add_rates(values, counters, now - self._last_at)
        self._last, self._last_at = counters, now
        return {f"system/{name}": round(value, 3) for name, value in values.items()}

    def _add_rates(self, values: Counters, counters: Counters, seconds: float) -> None:
        grown = {name: value - self._last[name] for name, value in counters.items() if name in self._last}
        if not grown or seconds <= 0:
            return
        total = grown.pop("cpu_total", 0.0)
        idle = grown.pop("cpu_idle", 0.0)
        if total > 0:
            values["cpu_percent"] = min(100.0, max(0.0, 100 * (1 - idle / total)))
        if "process_ticks" in grown:
            used = grown.pop("process_ticks") / os.sysconf("SC_CLK_TCK")
            values["process_cpu_percent"] = max(0.0, 100 * used / seconds)
        # A counter that decreased belongs to a device that was removed.
        values.update({f"{name}_bytes_per_second": value / seconds for name, value in grown.items() if value >= 0})

    def _cpu(self, _values: Counters, counters: Counters) -> None:
        with open(self._proc / "stat", encoding="ascii") as file:
            # user nice system idle iowait irq softirq steal; the rest is included in user.
            ticks = [int(word) for word in file.readline().split()[1:9]]
        counters["cpu_total"], counters["cpu_idle"] = sum(ticks), ticks[3] + ticks[4]

    def _memory(self, values: Counters, _counters: Counters) -> None:
        lines = (self._proc / "meminfo").read_text("ascii").splitlines()
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
        total, free = kilobytes["MemTotal"], kilobytes["MemAvailable"]
        values["memory_used_bytes"] = (total - free) * 1024
        values["memory_percent"] = 100 * (total - free) / total

    def _disks(self, _values: Counters, counters: Counters) -> None:
        own = {name for name in os.listdir(self._sys / "block") if not name.startswith(_NOT_DISKS)}
        read = written = 0
        for line in (self._proc / "diskstats").read_text("ascii").splitlines():
            words = line.split()
            if words[2] in own:
                read += int(words[5])
                written += int(words[9])
        counters["disk_read"], counters["disk_written"] = (read * _SECTOR_BYTES, written * _SECTOR_BYTES)

    def _networks(self, _values: Counters, counters: Counters) -> None:
        received = sent = 0
        for line in (self._proc / "net" / "dev").read_text("ascii").splitlines()[2:]:
            name, _, numbers = line.partition(":")
            if not name.strip().startswith(_NOT_NETWORKS):
                words = numbers.split()
                received += int(words[0])
                sent += int(words[8])
        counters["network_received"], counters["network_sent"] = received, sent

    def _training(self, values: Counters, counters: Counters) -> None:
        text = (self._process / "stat").read_text("utf-8", "replace")
        # The name in brackets may contain any character.
        words = text[text.rindex(")") + 2 :].split()
        counters["process_ticks"] = int(words[11]) + int(words[12])
        values["process_threads"] = int(words[17])
        values["process_resident_bytes"] = int(words[21]) * os.sysconf("SC_PAGE_SIZE")


class Gpus:
    """Calls `nvidia-smi`, if installed; after some failures it is no longer called."""

    _FIELDS = "index,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw"

    def __init__(self) -> None:
        self._program = shutil.which("nvidia-smi")
        self._failures = 0

    def read(self, values: Counters, _counters: Counters) -> None:
        if self._program is None or self._failures >= _GPU_FAILURES_MAX:
            return
        try:
            result = subprocess.run(
                [self._program, f"--query-gpu={self._FIELDS}", "--format=csv,noheader,nounits"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_GPU_SECONDS_MAX,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            self._failures += 1
            return
        self._failures = 0
        for line in result.stdout.decode("ascii", "replace").splitlines():
            self._add(line, values)

    def _add(self, line: str, values: Counters) -> None:
        words = [word.strip() for word in line.split(",")]
        if len(words) != 6 or not words[0].isdigit():
            return
        # A value that a model does not measure reads [N/A].
        busy, used, total, temperature, power = (_number(word) for word in words[1:])
        found = {"utilization_percent": busy, "temperature_celsius": temperature, "power_watts": power}
        if used is not None and total:
            found["memory_used_bytes"] = used * 2**20
            found["memory_percent"] = 100 * used / total
        values.update({f"gpu/{words[0]}/{name}": value for name, value in found.items() if value is not None})


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if value - value == 0 else None

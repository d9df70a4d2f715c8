"""The machine and the job of a recording, as the sender's process sees them."""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .programs import Programs

_TEXT_CHARACTERS_MAX = 256
_SLURM = {
    "jobId": "SLURM_JOB_ID",
    "jobName": "SLURM_JOB_NAME",
    "arrayJobId": "SLURM_ARRAY_JOB_ID",
    "arrayTaskId": "SLURM_ARRAY_TASK_ID",
    "restartCount": "SLURM_RESTART_COUNT",
    "cluster": "SLURM_CLUSTER_NAME",
    "partition": "SLURM_JOB_PARTITION",
    "account": "SLURM_JOB_ACCOUNT",
    "qos": "SLURM_JOB_QOS",
    "nodes": "SLURM_JOB_NUM_NODES",
    "nodeList": "SLURM_JOB_NODELIST",
    "tasks": "SLURM_NTASKS",
    "cpusPerTask": "SLURM_CPUS_PER_TASK",
    "gpusOnNode": "SLURM_GPUS_ON_NODE",
}
_KUBERNETES = {
    "namespace": "POD_NAMESPACE",
    "pod": "POD_NAME",
    "node": "NODE_NAME",
    "job": "JOB_NAME",
    "completionIndex": "JOB_COMPLETION_INDEX",
}
_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def machine(kinds: list[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """Returns the facts of these kinds that need no other program; unknown ones are missing."""
    found: dict[str, Any] = {}
    if "host" in kinds:
        found["host"] = environment.get("WANDB_HOST") or platform.node()
    if "user" in kinds:
        found["user"] = environment.get("WANDB_USERNAME") or _user()
    if "system" in kinds:
        found |= {"os": _system(), "cpus": _processors(), "memoryBytes": _memory_bytes()}
    if "scheduler" in kinds:
        found |= {"slurm": _named(_SLURM, environment), "kubernetes": _kubernetes(environment)}
    found = {name: value[:_TEXT_CHARACTERS_MAX] if isinstance(value, str) else value for name, value in found.items()}
    return {name: value for name, value in found.items() if value}


def gpus(programs: Programs, is_cuda_known: bool) -> dict[str, Any]:
    """Returns models, their number and the driver of NVIDIA's devices."""
    words = ("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    answer = programs.ask(words, 2**16)
    lines = [line.rpartition(",") for line in (answer or b"").decode("utf-8", "replace").splitlines()]
    devices = [(name.strip(), driver.strip()) for name, comma, driver in lines if comma]
    if not devices:
        return {}
    found = {
        "gpus": list(dict.fromkeys(name for name, _ in devices)),
        "gpuCount": len(devices),
        "driver": devices[0][1],
    }
    if not is_cuda_known:
        table = programs.ask(("nvidia-smi",), 2**18) or b""
        version = re.search(rb"CUDA Version:\s*([0-9.]+)", table)
        if version is not None:
            found["cuda"] = version[1].decode("ascii")
    return found


def _user() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # Containers run under ids without an entry.
        return None


def _system() -> str:
    words = f"{platform.system()} {platform.release()} {platform.machine()}".strip()
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]} {platform.machine()}"
    with contextlib.suppress(OSError, AttributeError):
        name = platform.freedesktop_os_release().get("PRETTY_NAME")
        return f"{words}, {name}" if name else words
    return words


def _processors() -> int | None:
    """Returns how many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        with contextlib.suppress(OSError):
            return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _memory_bytes() -> int | None:
    """Returns the memory of the machine, or of the container."""
    whole = _memory_of_windows() if sys.platform == "win32" else None
    with contextlib.suppress(OSError, ValueError, AttributeError):
        whole = whole or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for path in _CGROUP_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            limit = int(path.read_text("ascii"))
            return limit if whole is None else min(whole, limit)
    return whole


def _memory_of_windows() -> int | None:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("memory", "a", "b", "c", "d", "e", "f")),
        )

    status = Status(length=ctypes.sizeof(Status))
    library = getattr(ctypes, "windll", None)
    is_known = library is not None and library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.memory) if is_known else None


def _kubernetes(environment: Mapping[str, str]) -> dict[str, str]:
    if "KUBERNETES_SERVICE_HOST" not in environment:
        return {}
    found = _named(_KUBERNETES, environment)
    if "namespace" not in found:
        with contextlib.suppress(OSError, ValueError):
            found["namespace"] = _NAMESPACE.read_text("utf-8").strip()
    # The name of a pod is its host's, unless it says otherwise.
    found.setdefault("pod", environment.get("HOSTNAME", ""))
    return {name: value for name, value in found.items() if value}


def _named(names: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    found = {name: environment.get(variable, "")[:_TEXT_CHARACTERS_MAX] for name, variable in names.items()}
    return {name: value for name, value in found.items() if value}

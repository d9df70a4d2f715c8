"""The attempt that a process is part of, and facts of the process: see docs/attempts.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from typing import Any

from .._ground.boot_id import boot_id
from .._ground.wire_numbers import ATTEMPT_TEXT_CHARACTERS_MAX
from .made_up_name import word_of_launch
from .parent_mark import attempt_of_parent

# Names by which launchers know a process; nothing else of the environment is told.
_NAMES = (
    "SLURM_JOB_ID SLURM_JOB_NAME SLURM_RESTART_COUNT SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_STEP_ID "
    "SLURM_CLUSTER_NAME SLURM_JOB_PARTITION SLURM_NODEID SLURM_PROCID "
    "TORCHELASTIC_RUN_ID TORCHELASTIC_RESTART_COUNT TORCHELASTIC_MAX_RESTARTS "
    "POD_NAME POD_UID POD_NAMESPACE NODE_NAME JOB_COMPLETION_INDEX JOB_NAME "
    "LSB_JOBID LSB_JOBINDEX PBS_JOBID PBS_ARRAY_INDEX JOB_ID RESTARTED RAY_JOB_ID"
).split()


def attempt_of(slug: str, prefix: str, rank: int, ranks: int, first_step: int) -> dict[str, Any]:
    """Returns the id of the attempt, and what is said of this process."""
    process: dict[str, Any] = {
        "id": prefix,
        **({"rank": rank, "ranks": ranks} if ranks > 1 else {}),
        "host": _cut(platform.node()),
        "processId": os.getpid(),
        "fromStep": first_step,
    }
    boot = boot_id()
    if boot is not None:
        process["bootId"] = boot
    launches = _launches()
    if launches:
        process["launches"] = launches
    variables = [{"name": name, "value": _cut(os.environ[name])} for name in _names() if os.environ.get(name)]
    if variables:
        process["variables"] = variables
    common = attempt_of_parent(slug)
    if common is None:
        common = word_of_launch(ranks, _restart("TORCHELASTIC_RESTART_COUNT"), prefix)
    return {"id": common, "process": process}


def _names() -> Sequence[str]:
    # The name of the pod, unless its manifest gives it another host name.
    return [*_NAMES, "HOSTNAME"] if "KUBERNETES_SERVICE_HOST" in os.environ else _NAMES


def _launches() -> list[dict[str, Any]]:
    """Returns the launchers that count how often they have started it again."""
    found = []
    job = os.environ.get("SLURM_JOB_ID")
    if job:
        found.append({"by": "slurm", "id": _cut(job), "restart": _restart("SLURM_RESTART_COUNT")})
    if os.environ.get("JOB_ID") and os.environ.get("RESTARTED", "").isdigit():
        found.append({"by": "gridengine", "id": _cut(os.environ["JOB_ID"]), "restart": _restart("RESTARTED")})
    run = os.environ.get("TORCHELASTIC_RUN_ID")
    if run:
        # Without an id of the user's, the agent that starts its workers again is the same process.
        own = run if run != "none" else f"{platform.node()} {os.getppid()}"
        found.append({"by": "torchrun", "id": _cut(own), "restart": _restart("TORCHELASTIC_RESTART_COUNT")})
    return found


def _restart(name: str) -> int:
    word = os.environ.get(name, "")
    return int(word) if word.isdigit() and len(word) < 10 else 0


def _cut(text: str) -> str:
    # Bytes of a variable that are no UTF-8 are lone surrogates.
    return text[:ATTEMPT_TEXT_CHARACTERS_MAX].encode("utf-8", "replace").decode("utf-8")

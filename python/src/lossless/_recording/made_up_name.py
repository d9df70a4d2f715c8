"""Names of recordings for which the script gave none."""

from __future__ import annotations

import os
import time

from .._ground.warning import say

_WORDS = (
    "amber birch cedar coral delta ember fjord heron indigo jade lark maple opal pine quartz raven "
    "sage tidal umber wren"
).split()
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
# Letters of a word: of 10,000 recordings of one name, two share a word once in 20 times.
_WORD_LETTERS = 6


def made_up_name(ranks: int, before: int) -> str:
    """
    Returns the name of a recording; `before` counts earlier ones of this process. All ranks of a
    launch make up the same name without communicating; two launches never do.
    """
    if ranks == 1:
        return _name(time.time(), os.urandom(8))
    name = _of_launch(ranks)
    return name if before == 0 else f"{name}-{before + 1}"


def launch_word(ranks: int, before: int, name: str) -> str:
    """
    Returns a word that distinguishes a recording from others of its name; `before` counts earlier
    words of this process. All ranks of a launch find the same one, as above.
    """
    import hashlib

    if ranks == 1:
        return _letters(os.urandom(_WORD_LETTERS))
    text = f"{_of_launch(ranks)} {before} {name}"
    return _letters(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:_WORD_LETTERS])


def word_of_launch(ranks: int, restart: int, own: str) -> str:
    """
    Returns a word that all ranks of a launch find, and no other launch; `own` where there is one
    rank. `restart`: how often the launcher has started its ranks again.
    """
    import hashlib

    if ranks == 1:
        return own
    text = f"{_of_launch(ranks)} {restart}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _of_launch(ranks: int) -> str:
    return _of_step() or (_of_launcher() if _are_all_here(ranks) else _of_machines() or _of_launcher())


def launches_apart(ranks: int) -> bool:
    """
    Whether launchers on several machines share no name, so that each machine records separately.
    """
    return ranks > 1 and _of_step() is None and not _are_all_here(ranks) and _of_machines() is None


def _of_step() -> str | None:
    """The launch as numbered by SLURM's `srun`."""
    job = os.environ.get("SLURM_JOB_ID")
    step = os.environ.get("SLURM_STEP_ID") or os.environ.get("SLURM_STEPID")
    attempt = os.environ.get("SLURM_RESTART_COUNT") or "0"
    return None if not job or not step else f"{job}-{step}" + ("" if attempt == "0" else f"-r{attempt}")


def _of_machines() -> str | None:
    """
    The id shared by launchers on several machines: torchrun's, when one was given, or the job's.
    """
    run = os.environ.get("TORCHELASTIC_RUN_ID")
    return run if run and run != "none" else os.environ.get("SLURM_JOB_ID") or None


def _are_all_here(ranks: int) -> bool:
    here = os.environ.get("LOCAL_WORLD_SIZE") or os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE") or ""
    if here.isdigit():
        return int(here) >= ranks
    machines = os.environ.get("SLURM_NNODES") or os.environ.get("SLURM_JOB_NUM_NODES") or "1"
    return machines == "1"


def _of_launcher() -> str:
    """A name for the process that started all ranks here, as new as the launch, and shared."""
    import hashlib
    import socket

    # Open MPI names its launch; scripts may have started its ranks in between.
    space = os.environ.get("PMIX_NAMESPACE")
    launcher = os.getppid()
    began = _began(launcher)
    if began is None and space is None:
        say("lossless: nothing tells launches apart here: give LOSSLESS_RUN_ID a new value for each")
    launch = space or f"{launcher} {began}"
    key = f"{socket.gethostname()} {launch} {os.environ.get('MASTER_PORT', '')}"
    return _name(began or 0.0 if space is None else 0.0, hashlib.sha256(key.encode("utf-8", "replace")).digest())


def _name(at: float, random: bytes) -> str:
    """Composes a name, such as `20261121-140000-jade-7hfd`."""
    letters = _letters(random[1:5])
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(at)) + "-" if at else ""
    return f"{stamp}{_WORDS[random[0] % len(_WORDS)]}-{letters}"


def _letters(random: bytes) -> str:
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in random)


def _began(process: int) -> float | None:
    """Returns when a process began, in seconds since the epoch; None where there is no /proc."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            # The name, in parentheses, may contain any character.
            ticks = int(file.read().rpartition(")")[2].split()[19])
        with open("/proc/stat", encoding="utf-8") as file:
            boot = next(int(line.split()[1]) for line in file if line.startswith("btime "))
        return boot + ticks // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return None

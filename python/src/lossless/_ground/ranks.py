"""The rank of this process among several, as set by launchers of distributed training."""

from __future__ import annotations

import os


def ranks_of_launch() -> tuple[int, int]:
    """Returns our rank, and the number of ranks."""
    for rank_name, ranks_name in (
        ("RANK", "WORLD_SIZE"),
        ("SLURM_PROCID", "SLURM_NTASKS"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ):
        try:
            rank, ranks = int(os.environ[rank_name]), int(os.environ[ranks_name])
        except (KeyError, ValueError):
            continue
        if 0 <= rank < ranks:
            return rank, ranks
    return 0, 1


def local_rank(rank: int) -> int:
    """Returns the rank on this machine; where no launcher sets it, the global one."""
    for name in ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"):
        word = os.environ.get(name, "")
        if word.isdigit():
            return int(word)
    return rank


def ranks_on_node() -> int:
    """Returns the number of ranks on this machine; 0: the launcher does not tell."""
    for name in ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"):
        word = os.environ.get(name, "")
        if word.isdigit():
            return int(word)
    return 0

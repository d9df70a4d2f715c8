"""Settings of `init` for the metrics of the machine, as the sender needs them."""

from __future__ import annotations

import os
import platform
from typing import Any

from .._ground.errors import SettingsError
from .._ground.ranks import local_rank, ranks_on_node

_SECONDS = 15.0


def machine_metrics(is_wanted: bool, rank: int, ranks: int) -> dict[str, Any] | None:
    """
    Returns how often to measure, and this process's place on its node: the first of its ranks tells
    what all share, and each its own processes. The partitions of a launch name rank and host.
    """
    word = os.environ.get("LOSSLESS_SYSTEM", "").strip().lower()
    if not is_wanted or word in ("off", "0", "false", "no"):
        return None
    try:
        seconds = float(word) if word not in ("", "on", "true", "yes") else _SECONDS
    except ValueError:
        raise SettingsError(f"LOSSLESS_SYSTEM must be off or a number of seconds, not {word!r}") from None
    if not 0.1 <= seconds <= 86_400:
        raise SettingsError("LOSSLESS_SYSTEM must be off or a number of seconds from 0.1 to 86400")
    meta = {"rank": str(rank), "host": platform.node()} if ranks > 1 else {}
    return {"seconds": seconds, "meta": meta, "place": [local_rank(rank) == 0, ranks_on_node()]}

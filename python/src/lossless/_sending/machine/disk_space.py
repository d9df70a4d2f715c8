"""Room on the disk of the training's directory, where checkpoints usually go."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class DiskSpace:
    """A slow reader, as the file system of a network may hang."""

    def __init__(self, process_id: int, root: Path = Path("/")) -> None:
        self._link = root / "proc" / str(process_id) / "cwd"

    def read(self) -> dict[str, float]:
        try:
            directory = os.readlink(self._link)
        except OSError:
            # On other systems it is the one that the sender was started in.
            directory = "."
        usage = shutil.disk_usage(directory)
        # Blocks kept for root are neither used nor free.
        return {"disk_free_bytes": usage.free, "disk_percent": 100 * usage.used / (usage.used + usage.free)}

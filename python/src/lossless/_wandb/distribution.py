"""The metadata of a distribution `wandb`, for libraries that ask which version is installed."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path
from typing import Any

from .._ground.wandb_names import VERSION

_FILES = {
    "METADATA": f"Metadata-Version: 2.1\nName: wandb\nVersion: {VERSION}\nSummary: Lossless in place of W&B\n",
    "INSTALLER": "lossless\n",
    "top_level.txt": "wandb\n",
}


def is_name(name: Any) -> bool:
    """Whether it asks for W&B's distribution, in any spelling; None asks for all."""
    return name is None or re.sub(r"[-_.]+", "-", str(name)).lower() == "wandb"


def distribution() -> importlib.metadata.Distribution:
    return _Distribution()


class _Distribution(importlib.metadata.Distribution):
    def read_text(self, filename: Any) -> str | None:
        return _FILES.get(str(filename))

    def locate_file(self, path: Any) -> Path:
        return Path(__file__).parent / str(path)

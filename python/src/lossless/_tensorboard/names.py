"""Names for TensorBoard's directories: see _values/metric_names.py for its tags."""

from __future__ import annotations

import hashlib
import re

from .._ground.wire_numbers import SLUG_CHARACTERS_MAX


def slug_of(project: str, path: str) -> str:
    """
    Returns the experiment of the run at `path` below the directory; the directory itself is '.'.
    """
    whole = project if path == "." else f"{project}/{path}"
    slug = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "_", whole).strip()
    if slug != whole or len(slug) > SLUG_CHARACTERS_MAX:
        digest = hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        slug = f"{slug[: SLUG_CHARACTERS_MAX - 9]}~{digest}"
    return slug


def is_event_file(name: str) -> bool:
    """
    Whether a name is an event file. rsync writes a file under a hidden name before it renames it.
    """
    return "tfevents" in name and not is_hidden(name)


def is_hidden(name: str) -> bool:
    return name.startswith(".")

"""Replaces names of metrics that the service refuses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from .._ground.wire_numbers import METRIC_META_VALUE_BYTES_MAX, METRIC_NAME_BYTES_MAX


def metric_name(tag: str) -> tuple[str, Mapping[str, Any]]:
    """
    Makes a metric's name printable ASCII of at most 256 bytes. Others (TensorBoard's tags too) are
    written with %XX, and cut with a part of their hash; the points' meta has the original.
    """
    name = re.sub(r"[^ -~]", lambda found: "".join(f"%{byte:02X}" for byte in _utf8(found[0])), tag) or "(no tag)"
    if len(name) > METRIC_NAME_BYTES_MAX:
        name = f"{name[: METRIC_NAME_BYTES_MAX - 9]}~{hashlib.sha256(_utf8(tag)).hexdigest()[:8]}"
    if name == tag:
        return name, {}
    return name, {"tag": _utf8(tag.replace("\0", "\ufffd"))[:METRIC_META_VALUE_BYTES_MAX].decode("utf-8", "ignore")}


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")

"""What tags and directories of TensorBoard are called here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ._wire import METRIC_META_VALUE_BYTES_MAX, METRIC_NAME_BYTES_MAX, SLUG_CHARACTERS_MAX


def metric_name(tag: str) -> tuple[str, Mapping[str, Any]]:
    """
    A metric's name is printable ASCII of at most 256 bytes. Another tag is written with %XX, and cut with a piece of
    its hash; the tag itself is then in the points' meta.
    """
    name = re.sub(r"[^ -~]", lambda found: "".join(f"%{byte:02X}" for byte in _utf8(found[0])), tag) or "(no tag)"
    if len(name) > METRIC_NAME_BYTES_MAX:
        name = f"{name[: METRIC_NAME_BYTES_MAX - 9]}~{hashlib.sha256(_utf8(tag)).hexdigest()[:8]}"
    if name == tag:
        return name, {}
    return name, {"tag": _utf8(tag.replace("\0", "\ufffd"))[:METRIC_META_VALUE_BYTES_MAX].decode("utf-8", "ignore")}


def slug_of(project: str, path: str) -> str:
    """The experiment of the run at `path` below the directory; the directory itself is '.'."""
    whole = project if path == "." else f"{project}/{path}"
    slug = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "_", whole).strip()
    if slug != whole or len(slug) > SLUG_CHARACTERS_MAX:
        digest = hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        slug = f"{slug[: SLUG_CHARACTERS_MAX - 9]}~{digest}"
    return slug


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")

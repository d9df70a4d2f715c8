"""A file, or a part of it, that cannot be read."""

from __future__ import annotations

from ..._ground.errors import LosslessError


class Damaged(LosslessError):
    """The content is no Parquet from here on."""

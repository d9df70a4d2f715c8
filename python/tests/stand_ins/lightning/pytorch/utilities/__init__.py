from __future__ import annotations

from typing import Any


def rank_zero_only(call: Any) -> Any:
    return call

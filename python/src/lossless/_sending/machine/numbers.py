"""Numbers in what programs print."""

from __future__ import annotations

import re
from typing import Any

# The first number of a text such as "226 W", "(1800Mhz)" or "41,5".
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?")
_BYTES_OF_UNIT = {"B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
MEBIBYTE = 2**20


def number_of(text: Any) -> float | None:
    """
    Returns the number of a field. None: there is none, as in "N/A", "[Not Supported]" or "-", or it
    may mean two things: 1,024 is a thousand here and one there.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return _finite(float(text))
    found = _NUMBER.search(text) if isinstance(text, str) else None
    if found is None:
        return None
    digits = found.group()
    if "," in digits:
        whole, _, decimals = digits.partition(",")
        if "." in digits or "," in decimals or len(decimals) == 3:
            return None
        digits = f"{whole}.{decimals}"
    try:
        return _finite(float(digits))
    except ValueError:
        return None


def bytes_of(text: Any, unit: str) -> float | None:
    """Returns bytes. `unit`: what these programs call MB or MiB, which is always 2^20."""
    number = number_of(text)
    factor = _BYTES_OF_UNIT.get(unit.strip()[:1].upper())
    return None if number is None or factor is None else number * factor


def known(found: dict[str, float | None]) -> dict[str, float]:
    """Returns those that are known."""
    return {name: value for name, value in found.items() if value is not None}


def memory_of(used: float | None, total: float | None) -> dict[str, float]:
    """Returns the values of a memory, in bytes; nothing for one that is not told."""
    if used is None or not total or used < 0:
        return {}
    return {"memory_used_bytes": used, "memory_percent": 100 * used / total}


def _finite(value: float) -> float | None:
    return value if value - value == 0 else None

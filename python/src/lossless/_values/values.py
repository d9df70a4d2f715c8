"""Values that may be logged: numbers of any type, in dicts of any depth."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._ground.wire_numbers import (
    METRIC_META_BYTES_MAX,
    METRIC_META_KEY_BYTES_MAX,
    METRIC_META_KEYS_MAX,
    METRIC_META_VALUE_BYTES_MAX,
    METRIC_NAME_BYTES_MAX,
    STEP_MAX,
)
from .records import encode

_PRINTABLE = re.compile(r"[ -~]+\Z")
_EXACT_INTEGER = 2**53


def flattened(metrics: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Joins nested names: `{"a": {"b": 1}}` becomes `a.b`."""
    for key, value in metrics.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from flattened(value, f"{name}.")
        else:
            yield name, value


def number_of(value: Any) -> float | int | None:
    """
    Returns a plain number, also for a tensor with one element; None: it is none. May raise
    anything.
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        # Beyond 2^53 it is rounded to the nearest; beyond 10^308 OverflowError.
        return int(value) if -_EXACT_INTEGER <= value <= _EXACT_INTEGER else float(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (str, bytes, bytearray)) or value is None:
        return None
    item = getattr(value, "item", None)
    if callable(item):
        inner = item()
        # The item comes from another library, and may be anything: its own item is taken only once.
        if isinstance(inner, (int, float)):
            return number_of(inner)
        return _rounded(inner) if isinstance(inner, numbers.Real) else None
    if hasattr(value, "__float__"):
        return float(value)
    return None


def _rounded(value: Any) -> float:
    """Rounds a number of more than 64 bits (numpy's longdouble). Raises OverflowError."""
    number = float(value)
    if number - number != 0 and value - value == 0:
        raise OverflowError("it is beyond the numbers of 64 bits")
    return number


def integer_of(value: Any) -> float | int | None:
    """Returns the value if it is an integer of any type."""
    inner = value.item() if callable(getattr(value, "item", None)) else value
    return inner if isinstance(inner, int) else None


def storable(text: str) -> str:
    """Returns the text without NUL and lone surrogates, which the service refuses."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def name_problem(name: str) -> str | None:
    if not _PRINTABLE.match(name):
        return "its name is not printable ASCII"
    if len(name) > METRIC_NAME_BYTES_MAX:
        return f"its name has more than {METRIC_NAME_BYTES_MAX} characters"
    return None


def step_of(step: Any) -> int | None:
    """Returns the step; None for an invalid one: the service accepts 0 to 2^53 - 2."""
    if hasattr(step, "item") and not isinstance(step, (int, float)):
        step = step.item()
    if isinstance(step, float) and step.is_integer():
        step = int(step)
    if isinstance(step, int) and not isinstance(step, bool) and 0 <= step <= STEP_MAX:
        return int(step)
    return None


def meta_json(meta: Mapping[str, Any]) -> str:
    """
    Returns the JSON of a point's meta; values become text. Raises ValueError, which names the rule.
    """
    texts = {str(key): value if type(value) is str else meta_text(value) for key, value in meta.items()}
    if len(texts) > METRIC_META_KEYS_MAX:
        raise ValueError(f"meta has more than {METRIC_META_KEYS_MAX} keys")
    for key, value in texts.items():
        if _bytes(key) > METRIC_META_KEY_BYTES_MAX:
            raise ValueError(f"a key of meta has more than {METRIC_META_KEY_BYTES_MAX} bytes")
        if _bytes(value) > METRIC_META_VALUE_BYTES_MAX:
            raise ValueError(f"a value of meta has more than {METRIC_META_VALUE_BYTES_MAX} bytes")
        if "\0" in key or "\0" in value:
            raise ValueError("meta must not contain NUL")
    text = encode(texts)
    if len(text) > METRIC_META_BYTES_MAX and _canonical_bytes(texts) > METRIC_META_BYTES_MAX:
        raise ValueError(f"meta has more than {METRIC_META_BYTES_MAX} bytes")
    return text


def meta_text(value: Any) -> str:
    """Returns the text of a meta's value, as recorded and as queried."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _bytes(text: str) -> int:
    """Returns the length in UTF-8. Raises UnicodeEncodeError, a ValueError, for lone surrogates."""
    return len(text.encode("utf-8"))


def _canonical_bytes(texts: Mapping[str, str]) -> int:
    import json

    return len(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def with_point_meta(note: dict[str, Any], partition: str) -> dict[str, Any]:
    """Adds the meta of a point, in JSON, to a note of it."""
    return note if partition in ("null", "{}") else {**note, "pointMeta": json.loads(partition)}

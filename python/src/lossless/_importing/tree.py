"""Nested values, and those that W&B has split into paths."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

Path = tuple[str, ...]
# Words for what JSON lacks, as trackers write them.
_WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def number_or_text(value: Any) -> Any:
    """Returns the number that a word stands for; other values as they are."""
    return _WORDS.get(value, value) if isinstance(value, str) else value


def put(tree: dict[str, Any], path: Path, value: Any) -> None:
    *above, last = path
    for name in above:
        inner = tree.get(name)
        if not isinstance(inner, dict):
            inner = tree[name] = {}
        tree = inner
    tree[last] = value


def remove(tree: dict[str, Any], path: Path) -> None:
    *above, last = path
    for name in above:
        inner = tree.get(name)
        if not isinstance(inner, dict):
            return
        tree = inner
    tree.pop(last, None)


def leaves(tree: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[str, str, Any]]:
    """
    Yields values with their names, joined by dots, and an id of their path, which is another one
    for `{"a.b": 1}` than for `{"a": {"b": 1}}`. A dict with a `_type` is one value.
    """
    for name, value in tree.items():
        path = (*above, name)
        if isinstance(value, dict) and "_type" not in value:
            yield from leaves(value, path)
        else:
            yield ".".join(path), _id_of(path), value


@functools.lru_cache(maxsize=65_536)
def _id_of(path: Path) -> str:
    return hashlib.blake2s("\0".join(path).encode("utf-8", "replace"), digest_size=6).hexdigest()

"""Rows of nested columns from their levels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .pages import Page
from .schema import OPTIONAL, REPEATED, Leaf, Node

# A value with its levels of repetition and definition.
_Entry = tuple[int, int, Any]


def column_of(leaf: Leaf, pages: Iterator[Page]) -> Iterator[Any]:
    """Yields the value of the top column of a leaf, of each row."""
    if leaf.repetition_max == 0 and len(leaf.path) == 1:
        for page in pages:
            if page.definitions is None or len(page.values) == page.entries:
                yield from page.values
            else:
                values = iter(page.values)
                for level in page.definitions:
                    yield next(values) if level else None
        return
    row: list[_Entry] = []
    for page in pages:
        values = iter(page.values)
        for place in range(page.entries):
            repetition = 0 if page.repetitions is None else page.repetitions[place]
            definition = leaf.definition_max if page.definitions is None else page.definitions[place]
            if repetition == 0 and row:
                yield _built(leaf.path, 0, row, 0, 0)
                row = []
            row.append((repetition, definition, next(values) if definition == leaf.definition_max else None))
    if row:
        yield _built(leaf.path, 0, row, 0, 0)


def _built(path: tuple[Node, ...], place: int, entries: list[_Entry], defined: int, repeated: int) -> Any:
    node = path[place]
    if node.repetition == OPTIONAL:
        if entries[0][1] <= defined:
            return None
        return _inner(path, place, entries, defined + 1, repeated)
    if node.repetition == REPEATED:
        if entries[0][1] <= defined:
            return []
        parts: list[list[_Entry]] = []
        for entry in entries:
            if not parts or entry[0] <= repeated + 1:
                parts.append([])
            parts[-1].append(entry)
        return [_inner(path, place, part, defined + 1, repeated + 1) for part in parts]
    return _inner(path, place, entries, defined, repeated)


def _inner(path: tuple[Node, ...], place: int, entries: list[_Entry], defined: int, repeated: int) -> Any:
    node = path[place]
    if node.shape == "leaf":
        return entries[0][2]
    inner = _built(path, place + 1, entries, defined, repeated)
    return inner if node.shape == "inner" else {path[place + 1].name: inner}


def merged(one: Any, other: Any) -> Any:
    """Merges the values that two leaves of one column have in a row."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = dict(one)
        for name, value in other.items():
            found[name] = merged(found[name], value) if name in found else value
        return found
    if isinstance(one, list) and isinstance(other, list):
        return [merged(*pair) for pair in zip(one, other)]
    return one

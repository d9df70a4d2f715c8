"""Columns of a file: how their values are stored, and how they nest."""

from __future__ import annotations

from typing import Any, NamedTuple

from .damage import Damaged

REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
# Converted types: LIST; MAP and MAP_KEY_VALUE.
_LIST_TYPES = (3,)
_MAP_TYPES = (1, 2)


class Node(NamedTuple):
    name: str
    repetition: int
    # The form of its values: "leaf"; "inner", the value of its only child; or "struct".
    shape: str


class Leaf(NamedTuple):
    """A column as it is stored: the path to it, and the type of its values."""

    path: tuple[Node, ...]
    physical: int
    length: int
    # The element of the schema, for its logical type.
    element: dict[int, Any]
    definition_max: int
    repetition_max: int

    @property
    def top(self) -> str:
        return self.path[0].name


def leaves_of(elements: list[dict[int, Any]]) -> list[Leaf]:
    """Returns the leaves in the order of storage. Raises Damaged."""
    found: list[Leaf] = []
    try:
        place = 1
        for _ in range(elements[0].get(5, 0)):
            place = _walk(elements, place, (), False, found)
    except (IndexError, RecursionError):
        raise Damaged("the schema is cut") from None
    return found


def _walk(
    elements: list[dict[int, Any]], place: int, above: tuple[Node, ...], is_of_list: bool, found: list[Leaf]
) -> int:
    element = elements[place]
    place += 1
    children = element.get(5, 0)
    name = bytes(element.get(4, b"")).decode("utf-8", "replace")
    logical = element.get(10) or {}
    is_list = bool(children) and (element.get(6) in _LIST_TYPES or 2 in logical)
    # A map is a list of its keys and values.
    is_map = bool(children) and (element.get(6) in _MAP_TYPES or 1 in logical)
    repetition = element.get(3, REQUIRED)
    if not children:
        shape = "leaf"
    elif is_list or is_map or (is_of_list and repetition == REPEATED and children == 1):
        shape = "inner"
    else:
        shape = "struct"
    path = (*above, Node(name, repetition, shape))
    if not children:
        definition = sum(1 for node in path if node.repetition != REQUIRED)
        repeated = sum(1 for node in path if node.repetition == REPEATED)
        found.append(Leaf(path, element.get(1, -1), element.get(2, 0), element, definition, repeated))
        return place
    for _ in range(children):
        place = _walk(elements, place, path, is_list, found)
    return place

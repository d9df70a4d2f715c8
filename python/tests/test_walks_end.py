"""Walks over foreign values end: cycles, enumerations, numbers at the limits."""

from __future__ import annotations

import dataclasses
import enum
import sys
import unittest

from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))

from lossless._ground.signal_handlers import is_of_signal_handler
from lossless._recording.metric_summaries import MetricSummaries
from lossless._sending.experiment_opening import _as_read_back
from lossless._values.config import jsonable


@dataclasses.dataclass
class Node:
    name: str
    children: list[Node] = dataclasses.field(default_factory=list)
    parent: Node | None = None

    def __str__(self) -> str:
        return self.name


class Color(enum.Enum):
    RED = 1


class Walks(unittest.TestCase):
    def test_a_tree_with_parents_is_walked_once(self) -> None:
        root = Node("root")
        root.children = [Node(f"{number}", parent=root) for number in range(200)]
        found = jsonable({"tree": root})["tree"]
        self.assertEqual("root", found["name"])
        self.assertEqual({"name": "7", "children": [], "parent": "root"}, found["children"][7])

    def test_an_exception_of_an_enumeration_is_no_signal_handler(self) -> None:
        with self.assertRaises(ValueError) as caught:
            Color("bad")
        self.assertFalse(is_of_signal_handler(caught.exception))

    def test_summaries_are_numbers(self) -> None:
        summaries = MetricSummaries({"a": {"summary": ["mean", "max"]}, "b": {"summary": []}}, {})
        for value in (1.7e308, -1.7e308):
            summaries.take({"a": value, "b": value})
        self.assertEqual({"a": {"mean": 0.0, "max": 1.7e308}}, summaries.values())

    def test_configs_are_compared_as_they_are_read_back(self) -> None:
        self.assertEqual(_as_read_back({"a": [float(2**63)]}), _as_read_back({"a": [9223372036854776000]}))
        self.assertNotEqual(_as_read_back({"a": 1}), _as_read_back({"a": 2}))


if __name__ == "__main__":
    unittest.main()

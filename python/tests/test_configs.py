"""The forms that a config may have, and the meta that they become."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import types
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))

from lossless._ground import warning
from lossless._values.config import as_mapping, jsonable


class LikeConfigDict:
    """Imitates ml_collections.ConfigDict: no registered Mapping, and private attributes."""

    def __init__(self, **fields: Any) -> None:
        object.__setattr__(self, "_fields", fields)

    def keys(self) -> list[str]:
        return list(self._fields)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(name) from None


class LikeFlags:
    """Imitates absl.flags.FLAGS: [] returns a flag, not its value."""

    def flag_values_dict(self) -> dict[str, Any]:
        return {"lr": 0.5}

    def __getitem__(self, name: str) -> Any:
        return object()


class LikeFrame:
    """Imitates a table of pandas."""

    shape = (2, 1)

    def keys(self) -> list[str]:
        return ["a"]

    def __getitem__(self, name: str) -> Any:
        raise AssertionError("read")

    def __str__(self) -> str:
        return "a table"


@dataclasses.dataclass
class Optimizer:
    lr: float = 0.1
    betas: tuple[float, ...] = (0.9, 0.99)
    later: int = dataclasses.field(init=False)


@dataclasses.dataclass
class Whole:
    optimizer: Optimizer = dataclasses.field(default_factory=Optimizer)
    layers: list[Optimizer] = dataclasses.field(default_factory=lambda: [Optimizer(lr=1.0)])
    kind: type = Optimizer


class Configs(unittest.TestCase):
    def setUp(self) -> None:
        warning._told.clear()

    def told(self, content: Any) -> tuple[dict[str, Any], str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = jsonable(as_mapping(content))
        return found, " ".join(str(each.message) for each in caught)

    def test_what_holds_values_under_names(self) -> None:
        for content, expected in (
            (LikeConfigDict(lr=1, inner=LikeConfigDict(b=[2])), {"lr": 1, "inner": {"b": [2]}}),
            (LikeFlags(), {"lr": 0.5}),
            (argparse.Namespace(a=types.SimpleNamespace(b=1, _c=2)), {"a": {"b": 1}}),
            (types.SimpleNamespace(items=3), {"items": 3}),
            ({"frame": LikeFrame(), "flags": LikeFlags()}, {"frame": "a table", "flags": {"lr": 0.5}}),
        ):
            self.assertEqual((expected, ""), self.told(content))

    def test_dataclasses_in_dataclasses(self) -> None:
        found, _ = self.told(Whole())
        self.assertEqual({"lr": 0.1, "betas": [0.9, 0.99]}, found["optimizer"])
        self.assertEqual([{"lr": 1.0, "betas": [0.9, 0.99]}], found["layers"])
        self.assertIn("Optimizer", found["kind"])

    def test_nothing_found_is_told(self) -> None:
        class Hidden:
            def __init__(self) -> None:
                self._fields = {"lr": 1}

        found, told = self.told(Hidden())
        self.assertEqual({}, found)
        self.assertIn("nothing was found in the config: a Hidden", told)
        self.assertEqual(({}, ""), self.told(argparse.Namespace()))


if __name__ == "__main__":
    unittest.main()

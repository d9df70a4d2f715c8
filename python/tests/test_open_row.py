"""W&B's steps: a call without one belongs to the last, and a key's last value counts."""

from __future__ import annotations

import random
import textwrap
import unittest
from typing import Any

from scripts import Scripts

from lossless._sending.open_row import OpenRow
from lossless._sending.rows import Rows as SentRows
from lossless._sending.rows import rows_of
from lossless._spool.tail import Placed

_LOGGED = textwrap.dedent("""
    run = {module}.init(id={id!r})
    run.log({{"a": 1.0, "b": 1.0}}, step=10)
    run.log({{"a": 2.0}}, step=10, meta={{"split": "test"}})
    run.log({{"a": 3.0}})
    run.log({{"c": 4.0}})
    run.log({{"a": 5.0}}, commit=False)
    run.log({{"a": 6.0}})
    run.log({{"a": 7.0}}, step=20, commit=True)
    run.log({{"a": 8.0}}, step=30)
    run.log({{"a": 9.0}}, step=30)
    """)


class Steps(Scripts):
    def test_under_the_name_of_wandb_the_last_value_counts(self) -> None:
        """The last value counts also in a script that is killed within a step."""
        for id, end in (("w/finished", "print(run.finish(quiet=True).stored)"), ("w/killed", "import os; os._exit(9)")):
            result = self.file("import lossless as wandb" + _LOGGED.format(module="wandb", id=id) + end)
            if id == "w/finished":
                self.assertEqual("7\n", result.stdout)
            self.until(lambda id=id: len(self.stored(id, "a")) == 5, "it is sent")
            points = self.service.points(id)
            own = [(10, 3.0, {}), (10, 2.0, {"split": "test"}), (12, 6.0, {}), (20, 7.0, {}), (30, 9.0, {})]
            self.assertEqual(own, points["a"])
            self.assertEqual(([(10, 1.0, {})], [(11, 4.0, {})]), (points["b"], points["c"]))

    def test_under_its_own_name_every_value_is_kept(self) -> None:
        self.good_file("import lossless" + _LOGGED.format(module="lossless", id="own") + "run.finish(quiet=True)")
        steps = [step for step, _ in self.stored("own", "a")]
        self.assertEqual([10, 10, 10, 12, 12, 20, 30, 30], steps)


class Rows(unittest.TestCase):
    def test_against_a_plain_model(self) -> None:
        """Lines may be read as each piece comes, or all that is left at the end."""
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        for _ in range(300):
            placed, expected = self.lines(chance)
            rows, sent = OpenRow(), []
            while placed:
                size = chance.randrange(1, 6)
                sent += rows.closed(placed[:size])
                placed = placed[size:]
            sent += rows.rest()
            self.assertEqual(list(range(len(sent))), [each.offset for each in sent], f"seed {seed}")
            points = [
                point
                for each in sent
                if each.record and each.record[0] in "mp"
                for point in SentRows(rows_of(each.record))
            ]
            found = sorted((point.number, point.step, point.name, point.value) for point in points)
            self.assertEqual(sorted(expected), found, f"seed {seed}")

    def lines(self, chance: random.Random) -> tuple[list[Placed], list[tuple[int, int, str, float]]]:
        placed: list[Placed] = []
        kept: list[tuple[int, int, str, float]] = []
        row: dict[str, tuple[int, int, str, float]] = {}
        row_step, number = -1, 1
        for offset in range(chance.randrange(30)):
            record: list[Any] | None = chance.choice([None, ["a", "note", {}], ["o", {}]])
            if chance.random() < 0.8:
                step, goes_on = chance.randrange(3), chance.random() < 0.6
                names = chance.sample("abc", chance.randrange(1, 4))
                values = {name: chance.random() for name in names}
                record = ["m", number, 0, step, dict(values), None, *([1] if goes_on else [])]
                if chance.random() < 0.5:
                    record = ["p", number, 0, step, names, tuple(values.values()), *record[5:]]
                if step != row_step:
                    kept += row.values()
                    row, row_step = {}, step
                for place, (name, value) in enumerate(values.items()):
                    row[name] = (number + place, step, name, value)
                number += len(values)
                if not goes_on:
                    kept += row.values()
                    row, row_step = {}, -1
            placed.append(Placed(record, 1, offset))
        return placed, [*kept, *row.values()]


if __name__ == "__main__":
    unittest.main()

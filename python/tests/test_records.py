"""The spool's file format."""

from __future__ import annotations

import math
import random
import struct
import sys
import unittest

from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))

from lossless._values.records import WITHDRAWN, encode, line_of, packer, record_of, records_in


class Records(unittest.TestCase):
    def test_packed_values_come_back_to_the_last_bit(self) -> None:
        generator = random.Random(7)
        for count in (1, 2, 3, 10, 257):
            values = [struct.unpack("<d", generator.randbytes(8))[0] for _ in range(count)]
            values = [value if math.isfinite(value) else -0.0 for value in values]
            names = [f"metric/{place}" for place in range(count)]
            line = line_of(f'["p",7,8,9,{encode(names)},"{packer(count)(*values)}",null]')
            record = record_of(line[:-1])
            assert record is not None
            self.assertEqual(["m", 7, 8, 9, None], [*record[:4], record[5]])
            self.assertEqual(names, list(record[4]))
            self.assertEqual(
                [struct.pack("<d", value) for value in values], [struct.pack("<d", each) for each in record[4].values()]
            )

    def test_a_line_that_is_not_whole_is_none(self) -> None:
        line = line_of('["m",1,2,3,{"x":0.5},null]')
        self.assertEqual(["m", 1, 2, 3, {"x": 0.5}, None], record_of(line[:-1]))
        for place in range(len(line) - 1):
            changed = bytearray(line[:-1])
            changed[place] ^= 0x01
            self.assertIsNone(record_of(bytes(changed)), place)
            self.assertIsNone(record_of(line[:place]), place)

    def test_packed_values_that_do_not_fit_their_names_are_damage(self) -> None:
        good = packer(2)(1.0, 2.0)
        for names, values in ((["x"], good), (["x", "y", "z"], good), (["x", "y"], "no base64!"), (5, good)):
            line = line_of(f'["p",1,2,3,{encode(names)},{encode(values)},null]')
            self.assertIsNone(record_of(line[:-1]))

    def test_a_line_that_a_full_disk_cut_is_no_damage(self) -> None:
        line = line_of('["s"]')
        data = line[:7] + WITHDRAWN + b"\n" + line + line[:5] + b"\n"
        self.assertEqual([["s"], None], [record for _, record in records_in(data)])

    def test_lines_read_together_are_those_read_one_by_one(self) -> None:
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        whole = [
            line_of(f'["p",1,2,3,["x"],"{packer(1)(0.5)}",null]'),
            line_of('["m",1,2,3,{"x":1},null]'),
            line_of('["a","text",{}]'),
        ]
        # Whole by their checksum, and no record: the last one is two values.
        odd = [line_of("{}"), line_of("[1"), line_of('["p",1]'), line_of('["s"],["s"]')]
        for _ in range(200):
            lines = chance.choices(whole, k=chance.randrange(6))
            if chance.random() < 0.5:
                lines.insert(chance.randrange(len(lines) + 1), chance.choice([*odd, whole[0][:9] + b"x\n", b"\n"]))
            expected = [record_of(line[:-1]) for line in lines if line != b"\n"]
            self.assertEqual(expected, [record for _, record in records_in(b"".join(lines))], f"seed {seed}")


if __name__ == "__main__":
    unittest.main()

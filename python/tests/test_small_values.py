"""Numbers and names that are easily lost, or stop a script, on their way into a recording."""

from __future__ import annotations

import json
import struct
import sys
import types
import unittest
import zlib
from typing import Any
from unittest import mock

from scripts import Scripts

from lossless._media import png
from lossless._media.media import Histogram, Table
from lossless._recording.experiment import Experiment
from lossless._values.values import number_of

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


def _pixels(content: bytes) -> list[int]:
    """Returns the pixels of the first frame, of one channel."""
    at, data, width = 8, b"", struct.unpack(">I", content[16:20])[0]
    while at < len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        data += content[at + 8 : at + 8 + size] if content[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    rows = zlib.decompress(data)
    return [each for at in range(0, len(rows), width + 1) for each in rows[at + 1 : at + 1 + width]]


class Pictures(unittest.TestCase):
    def pixels(self, numbers: list[float]) -> list[int]:
        """With numpy, as a picture and as a film, and without: all the same."""
        without = dict(sys.modules)
        without.pop("numpy", None)
        with mock.patch.dict(sys.modules, without, clear=True):
            found = _pixels(png.png_of([numbers])[0])
        if numpy is not None:
            array = numpy.array([numbers])
            self.assertEqual(found, _pixels(png.png_of(array)[0]))
            self.assertEqual(found, _pixels(png.film_of(array[None, None], 4)[0]))
        return found

    def test_floats_a_little_beyond_1_are_shares(self) -> None:
        for high in (1.0, 1.0001, 1.05, 2.0):
            self.assertEqual([0, 127, 255], self.pixels([0.0, 0.5, high]), high)

    def test_floats_far_beyond_1_are_bytes(self) -> None:
        for high in (2.5, 17.0, 255.0):
            self.assertEqual([0, 1, int(high)], self.pixels([0.0, 1.0, high]), high)

    def test_integers_up_to_2_are_bytes(self) -> None:
        self.assertEqual([0, 1, 2], self.pixels([0, 1, 2]))

    def test_what_is_not_finite_takes_nothing_from_the_others(self) -> None:
        self.assertEqual([0, 127, 0, 255], self.pixels([0.0, 0.5, float("nan"), float("inf")]))

    def test_what_could_be_either_is_told(self) -> None:
        for high, is_told in ((1.0001, False), (1.5, True), (5.0, True), (200.0, False)):
            with mock.patch.object(png, "warn") as warn:
                self.pixels([0.0, high])
                self.assertEqual(is_told, warn.called, high)


class Objects(unittest.TestCase):
    def histogram(self, data: Any) -> Any:
        with mock.patch("lossless._media.media.warn"):
            return json.loads(Histogram(data, num_bins=2)._file()[0])

    def of_both(self, numbers: list[float]) -> Any:
        found = self.histogram(numbers)
        if numpy is not None:
            self.assertEqual(found, self.histogram(numpy.array(numbers)))
        return found

    def test_a_histogram_has_its_counts_and_edges(self) -> None:
        kinds: list[Any] = [list] if numpy is None else [list, numpy.array]
        for kind in kinds:
            given = [0.0, 1.0, 1.0, 4.0]
            made = Histogram(kind(given), num_bins=2)
            self.assertEqual(([3, 1], [0.0, 2.0, 4.0]), (made.histogram, made.bins))
            of_counts = Histogram(np_histogram=(kind([3, 0.5]), kind([0.0, 2.0, 4.0])))
            self.assertEqual(([3, 0.5], [0.0, 2.0, 4.0]), (of_counts.histogram, of_counts.bins))
            for each in (made, of_counts):
                found = json.loads(each._file()[0])
                self.assertEqual((each.histogram, each.bins), (found["values"], found["bins"]))
                self.assertEqual((list, list, int), (type(each.histogram), type(each.bins), type(each.histogram[0])))
        for wrong in ([], [float("nan")]):
            with self.assertRaises(ValueError):
                _ = Histogram(wrong).histogram

    def test_a_histogram_counts_what_is_not_finite(self) -> None:
        found = self.of_both([0.0, 1.0, float("nan"), float("inf")])
        self.assertEqual({"values": [1, 1], "bins": [0, 0.5, 1], "nonfinite": 2}, found)

    def test_a_histogram_of_the_largest_numbers(self) -> None:
        self.assertEqual({"values": [1, 1], "bins": [-1e308, 0, 1e308]}, self.of_both([1e308, -1e308]))

    def test_a_table_keeps_what_is_no_json_apart_from_texts(self) -> None:
        cells: list[Any] = [float("nan"), float("inf"), -float("inf"), "nan", 1.5]
        words = [{"_number": "NaN"}, {"_number": "Infinity"}, {"_number": "-Infinity"}, "nan", 1.5]
        self.assertEqual([words], json.loads(Table(data=[cells])._file()[0])["data"])
        if numpy is not None:
            array = [numpy.float32("nan"), numpy.float64("inf")]
            self.assertEqual([words[:2]], json.loads(Table(data=[array])._file()[0])["data"])

    @unittest.skipIf(numpy is None, "NOT TESTED: longdouble, because numpy is not installed")
    def test_numbers_of_more_than_64_bits(self) -> None:
        self.assertEqual((0.1, float), (number_of(numpy.longdouble("0.1")), type(number_of(numpy.longdouble(1)))))
        self.assertEqual("nan", str(number_of(numpy.longdouble("nan"))))
        self.assertIsNone(number_of(numpy.clongdouble(1)))
        if numpy.finfo(numpy.longdouble).max > numpy.finfo(float).max:
            self.assertRaises(OverflowError, number_of, numpy.longdouble("1e400"))

    def test_what_a_notebook_shows(self) -> None:
        run = types.SimpleNamespace(_is_finished=False, offline=False, name="<b>", slug="a/b", url="http://x/go?a&b")
        shown = Experiment._repr_html_(run)  # type: ignore[arg-type]
        self.assertEqual(
            '<a href="http://x/go?a&amp;b" target="_blank" rel="noopener">&lt;b&gt; (a/b)</a> · recording', shown
        )


class Names(Scripts):
    def test_line_ends_and_blanks_stop_no_script(self) -> None:
        result = self.script(
            """
            import lossless, warnings
            warnings.simplefilter("ignore")
            for arguments in (
                {"name": "two\\nlines "}, {"project": " x ", "id": "p"}, {"id": "a b "}, {"id": "tab\\tin\\n"},
                {"slug": "\\ts/t\\n"}, {"project": "  ", "id": "alone"}, {"project": "q", "name": "\\n"},
            ):
                with lossless.init(**arguments, reinit="create_new", mode="offline") as run:
                    print(repr(run.slug), repr(run.name))
            try: lossless.init(id="x" * 201)
            except lossless.SettingsError: print("too long")
            """
        )
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^'two lines-\w{6}' 'two\\nlines'$")
        self.assertEqual(["'x/p' 'p'", "'a b' 'a b'", "'tab in' 'tab in'", "'s/t' 't'", "'alone' 'alone'"], lines[1:6])
        self.assertRegex(lines[6], r"^'q/\d{8}-")
        self.assertEqual("too long", lines[7])

    def test_a_parent_whose_children_record_is_told_no_nought(self) -> None:
        result = self.script(
            """
            import lossless, os
            run = lossless.init(id="of children")
            if not (child := os.fork()):
                run.log({"x": 1.0})
                os._exit(0 if run.finish().is_complete else 1)
            assert os.waitpid(child, 0)[1] == 0
            run.finish()
            """
        )
        self.assertIn("all is stored in of children at ", result.stderr)
        self.assertIn("; this process recorded no points", result.stderr)
        self.assertNotIn("0 points", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""Pictures and tables are files of the run's own artifact, with annotations that point there."""

from __future__ import annotations

import json
import struct
import sys
import tempfile
import unittest
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scripts import Scripts
from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))

from lossless._media import png
from lossless._media.media import Table, media_of
from lossless._wandb import plots


class LoggedMedia(Scripts):
    def media(self, slug: str) -> list[dict[str, Any]]:
        notes = [note["meta"] for note in self.service.annotations(slug) if note["meta"].get("kind") == "media"]
        return sorted(
            (note["_media"] for note in notes), key=lambda each: int(each["path"].split("-")[-1].split(".")[0])
        )

    def fetched(self, artifact: str, version: str) -> Path:
        target = (
            self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else tempfile.mkdtemp()
        )
        self.script(
            "import lossless, sys; lossless.load_artifact(sys.argv[1], sys.argv[3] + '/v', sys.argv[2])",
            artifact,
            version,
            str(target),
        )
        return Path(target) / "v"

    def test_what_is_logged_is_there_with_its_files(self) -> None:
        self.script(
            """
            import lossless as wandb
            class Figure:
                def savefig(self, out, format):
                    out.write(b"a figure as " + format.encode())
            Figure.__module__ = "matplotlib.figure"
            class Frame:
                columns = ["x"]
                def __len__(self):
                    return 10_001
                def itertuples(self, index):
                    return iter([(1,), (2,)])
            class Rows:
                def __getitem__(self, rows):
                    assert rows == slice(None, 10_000)
                    return Frame()
            Frame.iloc = Rows()
            Frame.__module__ = "pandas.core.frame"
            run = wandb.init(project="media", id="all")
            image = wandb.Image([[[255, 0, 0], [0, 255, 0]]], caption="a cat")
            table = wandb.Table(columns=["id", "image"], data=[[1, image]])
            table.add_data(2, "none")
            run.log({
                "loss": 1.0, "sample/one": image, "many": [wandb.Image([[0.0, 1.0]]), wandb.Image([[-1, 1], [0, 1]])],
                "table": table, "hist": wandb.Histogram([1, 2, 2, 3], num_bins=2),
                "given": wandb.Histogram(np_histogram=([1, 2], [0, 1, 2])), "page": wandb.Html("<b>ö</b>"),
                "sound": wandb.Audio([0.0, 0.5], sample_rate=8000), "figure": Figure(),
                "confusion": wandb.plot.confusion_matrix(y_true=[0, 1, 1], preds=[0, 1, 0], class_names=["a", "b"]),
                "frame": Frame(),
                "roc": wandb.plot.roc_curve([0, 1, 1], [[0.2, 0.8], [0.7, 0.3], [0.2, 0.8]], labels=["a", "b"]),
                "pr": wandb.plot.pr_curve([0, 1, 1], [[0.2, 0.8], [0.7, 0.3], [0.2, 0.8]], classes_to_plot=[1]),
                "broken": wandb.Image(1), "frames": wandb.Video([[1]]), "short": wandb.plot.roc_curve([0, 1], [[1]]),
                "words": wandb.plot.confusion_matrix(y_true=["a"], preds=["b"]),
            }, step=10)
            run.log({"late": wandb.Image([[1]])}, step=11, meta={"split": "val"})
            report = run.finish()
            assert report.is_complete and report.refused == 4, report
            """
        )
        self.assertEqual([], self.spools())
        found = self.media("media/all")
        kinds = [
            "image",
            "image",
            "image",
            "table",
            "histogram",
            "histogram",
            "html",
            "audio",
            "image",
            "plot",
            "table",
            "plot",
            "plot",
            "image",
        ]
        self.assertEqual(kinds, [each["kind"] for each in found])
        [version] = {each["version"] for each in found}
        self.assertEqual({"media/all/media"}, {each["artifact"] for each in found})
        self.assertTrue(all(each.pop("timestampMs") > 1e12 for each in found))
        files = self.fetched("media/all/media", version)
        by_name = {each["name"]: each for each in found}
        content = {name: (files / each["path"]).read_bytes() for name, each in by_name.items()}
        self.assertEqual(
            {
                "kind": "image",
                "name": "sample/one",
                "step": 10,
                "caption": "a cat",
                "width": 2,
                "height": 1,
                "path": "media/sample_one-10-1.png",
                "bytes": len(content["sample/one"]),
                "artifact": "media/all/media",
                "version": version,
            },
            by_name["sample/one"],
        )
        self.assertEqual((2, 1, 2, b"\0\xff\0\0\0\xff\0"), _png(content["sample/one"]))
        many = [each for each in found if each["name"] == "many"]
        self.assertEqual([(0, 2), (1, 2)], [(each["index"], each["count"]) for each in many])
        self.assertEqual((2, 1, 0, b"\0\0\xff"), _png((files / many[0]["path"]).read_bytes()))
        self.assertEqual((2, 2, 0, b"\0\0\xff\0\x7f\xff"), _png((files / many[1]["path"]).read_bytes()))
        rows = json.loads(content["table"])
        self.assertEqual((["id", "image"], [2, "none"]), (rows["columns"], rows["data"][1]))
        self.assertEqual(content["sample/one"], (files / rows["data"][0][1]["_media"]["path"]).read_bytes())
        self.assertEqual({"values": [1, 3], "bins": [1, 2, 3]}, json.loads(content["hist"]))
        self.assertEqual({"values": [1, 2], "bins": [0, 1, 2]}, json.loads(content["given"]))
        self.assertEqual("<b>ö</b>", content["page"].decode())
        self.assertEqual(b"RIFF", content["sound"][:4])
        self.assertEqual(b"a figure as png", content["figure"])
        counts = [["a", "a", 1], ["a", "b", 0], ["b", "a", 1], ["b", "b", 1]]
        self.assertEqual(counts, json.loads(content["confusion"])["table"]["data"])
        self.assertEqual({"columns": ["x"], "data": [[1], [2]], "rowsLeftOut": 1}, json.loads(content["frame"]))
        self.assertEqual(3, by_name["frame"]["rows"])
        curve = json.loads(content["roc"])
        self.assertEqual(("line", "fpr", "tpr", "class"), (curve["plot"], curve["x"], curve["y"], curve["stroke"]))
        # The two with the same score come together, whichever of them is first in the list.
        of_a = [["a", 0, 0], ["a", 0.5, 0], ["a", 1, 1]]
        self.assertEqual([*of_a, ["b", 0, 0], ["b", 1, 0.5], ["b", 1, 1]], curve["table"]["data"])
        self.assertEqual([["1", 0.5, 0.5], ["1", 1, 2 / 3]], json.loads(content["pr"])["table"]["data"])
        [late] = [
            each["meta"] for each in self.service.annotations("media/all") if each["meta"]["_media"]["name"] == "late"
        ]
        self.assertEqual({"split": "val"}, late["pointMeta"])

    def test_offline_they_wait_and_the_switch_turns_them_off(self) -> None:
        text = """
            import lossless as wandb, sys
            run = wandb.init(project="media", id=sys.argv[1], mode="offline")
            for step in range(150):
                run.log({"loss": 1.0, "image": wandb.Image([[step]])}, step)
            run.finish()
        """
        self.script(text, "offline")
        self.script(text, "off", LOSSLESS_MEDIA="off")
        self.assertEqual(0, self.sync().returncode)
        self.assertEqual([], self.spools())
        self.assertEqual([], self.media("media/off"))
        found = self.media("media/offline")
        self.assertEqual([("image", step) for step in range(150)], [(each["name"], each["step"]) for each in found])
        self.assertEqual(2, len({each["version"] for each in found}), "a hundred files are a version")

    def test_a_training_that_is_killed_has_what_it_logged(self) -> None:
        script = self.started(
            """
            import lossless as wandb, os, signal
            run = wandb.init(project="media", id="killed")
            run.log({"image": wandb.Image([[1]])}, 3)
            print("logged", flush=True)
            input()
            """
        )
        self.assertEqual("logged", script.line())
        script.kill()
        self.until(lambda: not self.spools(), "the sender sends all of it")
        self.assertEqual([("image", 3)], [(each["name"], each["step"]) for each in self.media("media/killed")])

    def test_they_are_bounded_and_a_sender_that_dies_tells_nothing_twice(self) -> None:
        self.script(
            """
            import lossless as wandb
            from lossless._media import logged_media as _logged_media
            from lossless._sending import media_files as _media_files
            from lossless._sending import sender as _sender
            _logged_media.FILES_MAX = 4
            run = wandb.init(project="media", id="deaths", mode="offline")
            for step in range(6):
                run.log({"image": wandb.Image([[step]])}, step)
            assert run.finish().refused == 2
            """
        )
        # Each time it dies behind the request that announces, whose reply is lost with it.
        for _ in range(2):
            self.script(
                """
                import os, sys
                from lossless._sending import delivery as _delivery
                from lossless._sending import media_files as _media_files
                _media_files._FILES = 2
                send = _delivery.Delivery._send_annotations
                def dying(self, left):
                    send(self, left)
                    if left == [] and self._session.slug == "media/deaths":
                        os._exit(0)
                _delivery.Delivery._send_annotations = dying
                sys.argv = ["lossless", "sync"]
                from lossless.__main__ import main
                sys.exit(main())
                """
            )
        self.sync_until_sent()
        found = self.media("media/deaths")
        self.assertEqual([0, 1, 2, 3], [each["step"] for each in found])

    def test_frames_are_an_animated_png(self) -> None:
        chunks = _chunks(png._png([b"\0\1", b"\0\2", b"\0\3"], 1, 1, 1, frames_a_second=4))
        kinds = ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"]
        self.assertEqual(kinds, [kind for kind, _ in chunks])
        self.assertEqual((3, 0), struct.unpack(">II", chunks[1][1]))
        counted = [struct.unpack(">I", content[:4])[0] for kind, content in chunks if kind in ("fcTL", "fdAT")]
        self.assertEqual([0, 1, 2, 3, 4], counted)
        self.assertEqual({(250, 1000)}, {struct.unpack(">HH", each[20:24]) for kind, each in chunks if kind == "fcTL"})
        self.assertEqual(b"\0\3", zlib.decompress(chunks[7][1][4:]))

    def test_curves_keep_their_classes_and_are_of_the_call(self) -> None:
        truth, scores = [0, 2, 2, 0], [[0.9, 0.1, 0.2], [0.1, 0.2, 0.9], [0.2, 0.3, 0.8], [0.8, 0.4, 0.1]]
        made = plots.Plots().roc_curve(truth, scores, labels=["a", "b", "c"])
        for row in scores:
            row[:] = [0.5] * 3
        rows = json.loads(made._file()[0])["table"]["data"]
        self.assertEqual({"a", "c"}, {row[0] for row in rows})
        self.assertIn(["c", 0, 1], rows)
        for classes in (20, 500):
            own = [each % classes for each in range(1_000)]
            columns = [[0.001 * (row * (each + 7) % 997) for each in range(classes)] for row in range(1_000)]
            wide = json.loads(plots.Plots().roc_curve(own, columns)._file()[0])["table"]
            self.assertEqual((classes, None), (len({row[0] for row in wide["data"]}), wide.get("rowsLeftOut")))
            self.assertEqual([str(classes - 1), 1, 1], wide["data"][-1])
        nan = float("nan")
        for of, given in ((["x", "y"], [[1, 2, 3]] * 2), ([0, 1], [[1, nan]] * 2), ([0, 1], [[1, 2], [1]])):
            with self.assertRaises(ValueError):
                plots.Plots().pr_curve(of, given)._file()
        with self.assertRaisesRegex(ValueError, "scores"):
            plots.Plots().pr_curve([0, 1] * 500_001, [[1, 0]] * 1_000_002)._file()
        with self.assertRaisesRegex(ValueError, "100 classes"):
            plots.Plots().confusion_matrix(y_true=[100], preds=[0])._file()


@unittest.skipUnless(
    find_spec("numpy") and find_spec("pandas"), "numpy and pandas are not installed: npm run test:readers has them"
)
class Arrays(unittest.TestCase):
    def test_arrays_are_films_and_histograms(self) -> None:
        import numpy

        frames = numpy.zeros((2, 5, 3, 4, 6), dtype="uint8")
        content, width, height = png.film_of(frames, 4)
        self.assertEqual((12, 4), (width, height))
        self.assertEqual(5, sum(kind == "fcTL" for kind, _ in _chunks(content)))
        for shape in ((5, 5), (5, 7, 4, 6), (0, 3, 4, 6)):
            with self.assertRaises(ValueError):
                png.film_of(numpy.zeros(shape), 4)

        class Tensor(numpy.ndarray):
            def detach(self) -> Tensor:
                return self

            cpu = numpy = detach

        for shape in ((3, 8, 6), (8, 6, 3)):
            self.assertEqual((6, 8), png.png_of(numpy.zeros(shape).view(Tensor))[1:])
        histogram = media_of(numpy.array([1.0, 2.0, numpy.nan]))
        assert histogram is not None
        self.assertEqual(2, sum(json.loads(histogram._file()[0])["values"]))
        with self.assertRaisesRegex(ValueError, "more than"):
            # The broadcast array has no memory of its own.
            png.film_of(numpy.broadcast_to(numpy.uint8(0), (2, 10**6, 3, 4, 6)), 4)
        curve = plots.Plots().roc_curve(numpy.array([0, 2]), numpy.array([[0.9, 0, 0.1], [0.1, 0, 0.9]]))
        self.assertIn(["2", 0.0, 1.0], json.loads(curve._file()[0])["table"]["data"])
        for other in (numpy.array(1.0), numpy.array([]), numpy.array(["a"])):
            self.assertIsNone(media_of(other))

    def test_frames_are_tables_of_their_first_rows(self) -> None:
        import pandas

        frame = media_of(pandas.DataFrame({"x": range(10_005), "y": "a"}))
        assert isinstance(frame, Table)
        self.assertEqual([], frame._cells())
        content = json.loads(frame._file()[0])
        self.assertEqual(
            (["x", "y"], [9_999, "a"], 5), (content["columns"], content["data"][-1], content["rowsLeftOut"])
        )
        self.assertEqual({"rows": 10_005, "columns": 2}, frame._described())


def _png(content: bytes) -> tuple[int, int, int, bytes]:
    """Width, height, kind of colours, and rows."""
    width, height, _, color = struct.unpack(">IIBB", content[16:26])
    at, rows = 8, b""
    while at < len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        assert struct.unpack(">I", content[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + data)
        rows += data if kind == b"IDAT" else b""
        at += 12 + size
    return width, height, color, zlib.decompress(rows)


def _chunks(content: bytes) -> list[tuple[str, bytes]]:
    place, found = 8, []
    while place < len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        found.append((content[place + 4 : place + 8].decode(), content[place + 8 : place + 8 + length]))
        place += 12 + length
    return found


if __name__ == "__main__":
    unittest.main()

"""Pictures and tables are files of the run's own artifact, with annotations that point there."""

from __future__ import annotations

import json
import struct
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any

from scripts import Scripts


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
                "broken": wandb.Image(1), "frames": wandb.Video([[1]]),
            }, step=10)
            run.log({"late": wandb.Image([[1]])}, step=11, meta={"split": "val"})
            report = run.finish()
            assert report.is_complete and report.refused == 2, report
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
            "image",
        ]
        self.assertEqual(kinds, [each["kind"] for each in found])
        [version] = {each["version"] for each in found}
        self.assertEqual({"media/all/media"}, {each["artifact"] for each in found})
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


if __name__ == "__main__":
    unittest.main()

"""Pictures, audio, histograms and texts of event files are read by name and step."""

from __future__ import annotations

import io
import struct
import wave
from typing import Any

import event_file
from scripts import Scripts

import lossless
from lossless._ground.errors import LosslessError
from lossless._media.png import png_of
from lossless._service.service import Service as Calls
from lossless._tensorboard.importer import Importer

AT = 1_750_000_000.125
NAME = "events.out.tfevents.1.host"
PNG, _, _ = png_of([[[0, 128, 255]]])
JPEG = b"\xff\xd8\xff and more"
LIMITS = [-1.0, 0.0, 1.0, 1e20, 1.79e308]


def wav() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(struct.pack("<3h", 1, 2, 3))
    return out.getvalue()


def contents() -> list[bytes]:
    return [
        event_file.version(AT),
        event_file.image("samples", PNG, 1, 1, 10, AT),
        event_file.image("samples", PNG, 1, 1, 20, AT + 1),
        event_file.strings("many", "images", [b"7", b"5", PNG, JPEG], [4], 3, AT),
        event_file.audio("voice", wav(), 1, AT),
        event_file.strings("voices", "audio", [wav(), b"a label"], [1, 2], 1, AT),
        event_file.text("prompt/text_summary", ["hello"], 0, AT),
        event_file.text("prompt/text_summary", ["two", "lines"], 5, AT),
        event_file.histogram("weights", [0, 2, 3, 5, 0], LIMITS, -0.5, 8.0, 0, AT),
        event_file.histogram_rows("weights", [(0, 1, 4), (1, 2, 6)], 7, AT),
        event_file.scalar("loss", 0.5, 1, AT),
    ]


class Logged(Scripts):
    def setUp(self) -> None:
        self.root = self.service.directory / self._testMethodName
        self.slug = f"{self._testMethodName}/run"
        self.out = io.StringIO()

    def imported(self, **more: Any) -> str:
        def no_wait(_attempts: int, error: LosslessError) -> None:
            raise error

        calls = Calls(self.service.url, lambda: self.service.key)
        self.addCleanup(calls.close)
        self.out = io.StringIO()
        settings = self.service.settings()
        importer = Importer(self.root, self.root.name, calls, no_wait, self.out, settings=settings, **more)
        importer.take()
        self.assertTrue(importer.end(), self.out.getvalue())
        return self.out.getvalue()

    def check(self, slug: str) -> None:
        with lossless.Reader(self.service.url, self.service.key) as reader:
            logged = reader.logged
            names = {(each["kind"], each["name"]): each for each in logged.names(slug)}
            self.assertEqual(
                {
                    ("image", "samples"): (2, 10, 20),
                    ("image", "many"): (2, 3, 3),
                    ("audio", "voice"): (1, 1, 1),
                    ("audio", "voices"): (1, 1, 1),
                    ("text", "prompt"): (2, 0, 5),
                    ("histogram", "weights"): (2, 0, 7),
                },
                {key: (each["items"], each["firstStep"], each["lastStep"]) for key, each in names.items()},
            )
            items = list(logged.items(slug, "samples"))
            self.assertEqual([PNG, PNG], [logged.read(each) for each in items])
            self.assertEqual([round(AT * 1000), round(AT * 1000) + 1000], [each["timestampMs"] for each in items])
            self.assertEqual((1, 1), (items[0]["width"], items[0]["height"]))
            many = list(logged.items(slug, "many"))
            self.assertEqual([PNG, JPEG], [logged.read(each) for each in many])
            self.assertEqual(
                [(0, 2, 7, 5), (1, 2, 7, 5)],
                [tuple(each[name] for name in ("index", "count", "width", "height")) for each in many],
            )  # type: ignore[literal-required]
            (clip,) = logged.items(slug, "voices", kind="audio")
            self.assertEqual((wav(), "a label"), (logged.read(clip), clip["caption"]))
            (lane,) = logged.texts(slug, "prompt")
            self.assertEqual(
                [("hello", 0), ("two\nlines", 5)], [(each["text"], each["step"]) for each in lane["states"]]
            )
            # Limits beyond the values are drawn in: from -0.5 to 8.
            first, second = logged.items(slug, "weights", kind="histogram")
            self.assertEqual({"bins": [-0.5, 0, 1, 8], "values": [2, 3, 5]}, first["histogram"])
            self.assertEqual({"bins": [0, 1, 2], "values": [4, 6]}, second["histogram"])
        self.assertEqual({"loss": [(1, 0.5, {})]}, self.service.points(slug))

    def test_they_are_imported_once(self) -> None:
        event_file.write(self.root / "run" / NAME, contents())
        told = self.imported()
        self.assertIn("1 point stored, 4 images, 2 audio, 2 texts, 2 histograms\n", told)
        self.check(self.slug)
        before = self.service.annotations(self.slug)
        version = self.versions()
        # A renamed copy is the same, too.
        event_file.write(self.root / "run" / "events.out.tfevents.2.copy", contents())
        self.imported()
        self.check(self.slug)
        self.assertEqual((before, version), (self.service.annotations(self.slug), self.versions()))

    def test_a_followed_file_that_grows_is_imported_once(self) -> None:
        path = self.root / "run" / NAME
        all_of_it = contents()
        calls = Calls(self.service.url, lambda: self.service.key)
        self.addCleanup(calls.close)
        path.parent.mkdir(parents=True)
        importer = Importer(
            self.root, self.root.name, calls, lambda _attempts, error: self.fail(str(error)), self.out,
            is_live=True, settings=self.service.settings(),
        )  # fmt: skip
        for content in all_of_it:
            event_file.append(path, event_file.record(content))
            importer.take()
        # Written anew, as by rsync: it is read again from its start while files wait.
        path.rename(path.with_name(".away"))
        event_file.write(path, all_of_it)
        importer.take()
        self.assertTrue(importer.end(), self.out.getvalue())
        self.check(self.slug)
        self.assertEqual(1, len(self.versions()))

    def test_a_script_that_writes_them_records_them(self) -> None:
        data = self.root / "data"
        event_file.write(data, contents())
        self.good_file(
            """
            import pathlib, sys, lossless
            lossless.init("synced", id="run", sync_tensorboard=True)
            import time
            logs = pathlib.Path(sys.argv[2]); logs.mkdir()
            with open(logs / f"events.out.tfevents.{int(time.time())}.host", "wb") as out:
                out.write(pathlib.Path(sys.argv[1]).read_bytes())
                out.flush()
                lossless.finish()
            """,
            str(data),
            str(self.root / "logs"),
        )
        self.check("synced/run")

    def versions(self) -> list[str]:
        with lossless.Reader(self.service.url, self.service.key) as reader:
            return [each["version"] for each in reader.artifact(f"{self.slug}/media")["versions"]]

"""What scripts log beside numbers is read by name and step."""

from __future__ import annotations

import json
import unittest

from scripts import Scripts

import lossless


class LoggedSeries(Scripts):
    def reader(self) -> lossless.Reader:
        reader = lossless.Reader(self.service.url, self.service.key)
        self.addCleanup(reader.close)
        return reader

    def test_pictures_texts_and_histograms_over_steps(self) -> None:
        self.good_file(
            """
            import lossless as wandb
            for slug in ("one", "two"):
                run = wandb.init("series", id=slug)
                for step in range(0, 30, 10):
                    picture = [[[step * 8, 0, 0]]]
                    run.log({"samples": [wandb.Image(picture, caption=f"{slug} {step}"), wandb.Image(picture)]}, step=step)
                    run.log({"phase": "warm-up" if step < 20 else "train"}, step=step)
                    run.log({"weights": wandb.Histogram(np_histogram=([step, 2, 4], [0.0, 1.0, 2.0, 3.0]))}, step=step)
                many = list(range(200))
                run.log({"fine": wandb.Histogram(np_histogram=(many, list(range(201))))}, step=1)
                run.log({"samples": wandb.Table(columns=["a"], data=[[1]])}, step=7, meta={"rank": "1"})
                run.finish()
            """
        )
        logged = self.reader().logged
        runs = ["series/one", "series/two"]
        self.assertEqual(
            [
                ("histogram", "fine", 2, 2, 1, 1),
                ("text", "phase", 4, 2, 0, 20),
                ("image", "samples", 12, 2, 0, 20),
                ("table", "samples", 2, 2, 7, 7),
                ("histogram", "weights", 6, 2, 0, 20),
            ],
            [
                (each["kind"], each["name"], each["items"], each["experiments"], each["firstStep"], each["lastStep"])
                for each in logged.names(runs)
            ],
        )
        self.assertEqual(["fine"], [each["name"] for each in logged.names(runs, text="FIN*")])
        self.assertEqual([0, 10, 20], logged.steps(runs, "samples"))
        self.assertEqual([7], logged.steps(runs, "samples", kind="table"))
        near = logged.nearest(runs, "samples", 13)
        self.assertEqual([10, 10, 10, 10], [each["step"] for each in near])
        self.assertEqual(["one 10", None, "two 10", None], [each.get("caption") for each in near])
        self.assertEqual([(0, 2), (1, 2)] * 2, [(each["index"], each["count"]) for each in near])
        self.assertEqual("image/png", near[0]["file"]["mediaType"])
        content = logged.read(near[0])
        self.assertEqual((b"\x89PNG", near[0]["file"]["bytes"]), (content[:4], len(content)))

        items = list(logged.items(runs[0], "samples", start=10, newest_first=True))
        self.assertEqual([20, 20, 10, 10], [each["step"] for each in items])
        self.assertEqual(sorted((each["timestampMs"] for each in items), reverse=True)[0], items[1]["timestampMs"])
        (table,) = logged.items(runs[1], "samples", kind="table")
        self.assertEqual({"rank": "1"}, table["metadata"])
        self.assertEqual([[1]], json.loads(logged.read(table))["data"])

        lanes = logged.texts(runs, "phase")
        self.assertEqual(2, len(lanes))
        for lane in lanes:
            states = [(each["text"], each["step"], each["endStep"]) for each in lane["states"]]
            self.assertEqual([("warm-up", 0, 20), ("train", 20, None)], states)
        (text, _) = logged.items(runs[0], "phase", kind="text")
        self.assertEqual(b"warm-up", logged.read(text))

        maps = logged.histograms(runs[0], "weights", bins=3)
        self.assertEqual((0.0, 3.0), (maps["low"], maps["high"]))
        (only,) = maps["maps"]
        self.assertEqual([[step, 2, 4] for step in (0, 10, 20)], [each["counts"] for each in only["columns"]])
        # Each four of 200 bins are summed, and all are in the file.
        (fine,) = logged.histograms(runs[0], "fine", bins=50)["maps"]
        self.assertEqual([sum(range(at, at + 4)) for at in range(0, 200, 4)], fine["columns"][0]["counts"])
        (whole,) = logged.items(runs[0], "fine", kind="histogram")
        self.assertEqual(list(range(200)), json.loads(logged.read(whole))["values"])


if __name__ == "__main__":
    unittest.main()

"""Names of metrics that the service does not take."""

from __future__ import annotations

import unittest

from scripts import Scripts


class MetricNames(Scripts):
    def test_they_are_recorded_as_the_import_from_tensorboard_does(self) -> None:
        text = """
            import lossless
            run = lossless.init(id="names", meta={"split": "val"})
            for step in range(3):
                run.log({"loss": 1.0, "Verlust/\u00fc": 2.0 * step, "n" * 300: 3}, step=step)
            assert run.step == 2
            run.log({"deep": {"\u00fc": 5, "nan\u00fc": float("nan")}, "": 1}, meta={"split": "test"})
            assert run.summary["Verlust/%C3%BC"] == 4.0
            report = run.finish()
            assert (report.stored, report.refused, report.refusals[0]["reason"]) == (10, 1, "a metric without a name"), report
            """
        result = self.script(text)
        self.assertEqual(1, result.stderr.count("is not printable ASCII: recorded as 'Verlust/%C3%BC'"), result.stderr)
        points = self.service.points("names")
        meta = {"split": "val", "tag": "Verlust/\u00fc"}
        self.assertEqual([(step, 2.0 * step, meta) for step in range(3)], points["Verlust/%C3%BC"])
        self.assertEqual([(2, 5, {"split": "test", "tag": "deep.\u00fc"})], points["deep.%C3%BC"])
        [long] = [name for name in points if name.startswith("nnn")]
        self.assertEqual(256, len(long))
        self.assertEqual("n" * 300, points[long][0][2]["tag"])
        self.assertEqual([(step, 1.0, {"split": "val"}) for step in range(3)], points["loss"])
        [note] = self.service.annotations("names")
        self.assertEqual("deep.nan%C3%BC", note["meta"]["metricName"])
        self.assertEqual({"split": "test", "tag": "deep.nan\u00fc"}, note["meta"]["pointMeta"])


if __name__ == "__main__":
    unittest.main()

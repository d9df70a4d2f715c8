"""Hyperparameters beside event files become meta; runs of `add_hparams` join their run."""

from __future__ import annotations

import io
import math
import os
import signal
import subprocess
import sys
import time
import unittest
from typing import Any

import event_file
from service import WithService

from lossless._tensorboard.plain_yaml import Beyond, plain_yaml
from lossless._tensorboard.progress_bar import ProgressBar

AT = 1_750_000_000.125
FILE = "events.out.tfevents.1.host"

LIGHTNING = """\
# as PyYAML dumps it
lr: 1.0e-05
decay: 1e-3
name: 'it''s'
quoted: "a\\tb"
note: a text that is longer than
  a line
optimizer:
  betas:
  - 0.9
  - 0.999
  nesterov: true
  inner:
    none: null
shape: !!python/tuple
- 3
- 4
model: !!python/object/apply:net.Model
- 3
first: &id001
  a: 1
second: *id001
layers:
- size: 1
  kind: x
path: /data/a:b
flow: [1, two]
empty: {}
last: -7
"""


class PlainYaml(unittest.TestCase):
    def test_what_lightning_writes(self) -> None:
        found, left_out = plain_yaml(LIGHTNING)
        self.assertEqual(["model", "first", "second", "layers"], left_out)
        self.assertEqual(
            {
                "lr": 1e-5,
                "decay": 1e-3,
                "name": "it's",
                "quoted": "a\tb",
                "note": "a text that is longer than a line",
                "optimizer": {"betas": [0.9, 0.999], "nesterov": True, "inner": {"none": None}},
                "shape": [3, 4],
                "path": "/data/a:b",
                "flow": [1, "two"],
                "empty": {},
                "last": -7,
            },
            found,
        )
        self.assertEqual(({}, []), plain_yaml("{}\n"))
        self.assertEqual(math.inf, plain_yaml("x: .inf")[0]["x"])
        for text in (
            "- a",
            "only words",
            " a: 1\nb: 2",
            f"a: {'x' * 20_000}",
            "a:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 40)),
        ):
            with self.subTest(text=text[:20]), self.assertRaises(Beyond):
                found, left_out = plain_yaml(text)
                if left_out:
                    raise Beyond(left_out[0])


class Bar(unittest.TestCase):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def test_what_is_printed_stands_above_it(self) -> None:
        terminal = self.Terminal()
        bar = ProgressBar(terminal)
        bar.show(0.5, "1 of 2 runs")
        print("a: 3 points stored", file=bar)
        bar.show(1, "2 of 2 runs")
        bar.clear()
        shown = terminal.getvalue()
        self.assertIn("\r\x1b[K[############............]  50% 1 of 2 runs\r\x1b[Ka: 3 points stored\n", shown)
        self.assertTrue(shown.endswith("100% 2 of 2 runs\r\x1b[K"))
        plain = io.StringIO()
        ProgressBar(plain).show(0.5, "x")
        self.assertEqual("", plain.getvalue())


class Hyperparameters(WithService):
    def setUp(self) -> None:
        self.root = self.service.directory / self._testMethodName

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-W", "error", "-m", "lossless", "import", "tensorboard", str(self.root), *words]

    def run_import(self) -> str:
        result = subprocess.run(
            self.command("--project", self._testMethodName),
            env=self.service.environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual((0, ""), (result.returncode, result.stderr), result.stdout)
        return result.stdout

    def meta(self, path: str) -> Any:
        return self.service.query("query.experiment", experimentSlug=f"{self._testMethodName}/{path}")["meta"]

    def slugs(self) -> list[str]:
        tree = self.service.query("foldertree.read")
        folder = next(each for each in tree["folders"] if each["name"] == self._testMethodName)
        return sorted(each["slug"].partition("/")[2] for each in folder["experiments"])

    def write(self, path: str, hparams: dict[str, Any] | None, values: dict[str, float], steps: int = 1) -> None:
        said = [] if hparams is None else [event_file.hparams(hparams, AT)]
        scalars = [event_file.scalar(name, each, step, AT) for step in range(steps) for name, each in values.items()]
        event_file.write(self.root / path / FILE, [event_file.version(AT), *said, *scalars])

    def test_the_run_of_add_hparams_is_part_of_its_parent(self) -> None:
        hparams = {"lr": 0.1, "batch": 32, "name": "adam", "amp": True, "dims": [1, {"a": None}]}
        self.write("one", None, {"loss": 0.5, "accuracy": 0.25}, 5)
        self.write("one/1795337204.8123", hparams, {"hparam/loss": 0.5, "accuracy": 0.75})
        # This is a real run that is named by a time.
        self.write("one/1795337205.5", {"lr": 0.2}, {"loss": 0.5}, 3)
        told = self.run_import()
        self.assertIn("/one: 12 points stored\n", told)
        self.assertTrue(told.endswith("2 runs, 15 points\n"), told)
        self.assertEqual(["one", "one/1795337205.5"], self.slugs())
        new = {"source": "tensorboard", "import": {"format": "tensorboard", "ids": "records"}}
        self.assertEqual({**new, **hparams}, self.meta("one"))
        self.assertEqual({**new, "lr": 0.2}, self.meta("one/1795337205.5"))
        points = self.service.points(f"{self._testMethodName}/one")
        self.assertEqual([(0, 0.5, {})], points["hparam/loss"])
        self.assertEqual([(0, 0.75, {})], points["hparam/accuracy"])
        self.assertEqual(5, len(points["accuracy"]))
        self.assertIn("12 points stored, 12 of them earlier", self.run_import())
        self.assertEqual(points, self.service.points(f"{self._testMethodName}/one"))

    def test_trials_of_one_writer_stay_experiments(self) -> None:
        self.write("search", None, {})
        for trial in range(3):
            self.write(f"search/179533720{trial}.5", {"lr": trial / 4}, {"hparam/accuracy": trial})
        self.run_import()
        self.assertEqual([f"search/179533720{trial}.5" for trial in range(3)], self.slugs())
        self.assertEqual(0.25, self.meta("search/1795337201.5")["lr"])

    def test_what_somebody_wrote_into_the_meta_stays(self) -> None:
        self.write("run", None, {"loss": 0.5})
        self.run_import()
        slug = f"{self._testMethodName}/run"
        self.service.query(
            "experiment.open",
            slug=slug,
            description="mine",
            meta={"source": "tensorboard", "lr": "my own", "tags": ["a"]},
        )
        (self.root / "run/hparams.yaml").write_text("lr: 0.5\ndepth: 4\noptimizer:\n  momentum: 0.9\nodd: *x\n")
        # Lightning writes them into its event file as well, flat.
        self.write("run", {"depth": 4, "optimizer/momentum": 0.9, "note": "x" * 70_000}, {"loss": 0.5})
        told = self.run_import()
        self.assertIn("hparams.yaml: left out, because they are neither numbers nor texts: odd\n", told)
        self.assertIn("too large: without 'note'\n", told)
        mine = {"source": "tensorboard", "lr": "my own", "tags": ["a"]}
        self.assertEqual({**mine, "depth": 4, "optimizer": {"momentum": 0.9}}, self.meta("run"))
        record = self.service.query("query.experiment", experimentSlug=slug)
        self.assertEqual("mine", record["description"])
        self.run_import()
        now = self.service.query("query.experiment", experimentSlug=slug)
        self.assertEqual({**record, "updatedAtMs": 0}, {**now, "updatedAtMs": 0})

    def test_follow_takes_them_at_the_end(self) -> None:
        self.write("run", None, {"loss": 0.5}, 2)
        process = subprocess.Popen(
            self.command("--follow", "--project", self._testMethodName),
            env=self.service.environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        self.until(lambda: len(self.service.points(f"{self._testMethodName}/run")["loss"]) == 2)
        self.write("run/1795337204.8", {"lr": 0.1}, {"accuracy": 1.0})
        self.write("other", None, {"loss": 0.5})
        # The file was read after the one of `add_hparams` existed.
        self.until(lambda: len(self.service.points(f"{self._testMethodName}/other")["loss"]) == 1)
        self.assertEqual(["other", "run"], self.slugs())
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
        self.assertEqual(0, process.returncode, told)
        self.assertIn("2 runs, 4 points\n", told)
        self.assertEqual(["other", "run"], self.slugs())
        self.assertEqual(0.1, self.meta("run")["lr"])

    def until(self, happened: Any) -> None:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            try:
                if happened():
                    return
            except KeyError:
                pass
            time.sleep(0.1)
        self.fail("it has not happened within four minutes")

    @unittest.skipUnless(os.name == "posix", "NOT TESTED: a bar, because there is no terminal here")
    def test_a_bar_on_a_terminal(self) -> None:
        import pty

        for run in range(3):
            self.write(f"r{run}", None, {"loss": 0.5}, 10)
        outer, inner = pty.openpty()
        process = subprocess.Popen(self.command(), env=self.service.environment(), stdout=inner)
        os.close(inner)
        shown = b""
        try:
            while some := os.read(outer, 65_536):
                shown += some
        except OSError:
            pass  # How a terminal ends on Linux.
        os.close(outer)
        self.assertEqual(0, process.wait(60), shown)
        self.assertIn(b"] ", shown)
        self.assertRegex(shown.decode(), r"\r\x1b\[K\[[#.]{24}\] +\d+% 0 of 3 runs, 10 points\r\x1b\[K")
        self.assertIn(b"3 runs, 30 points\r\n", shown)


if __name__ == "__main__":
    unittest.main()

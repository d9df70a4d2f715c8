"""A near miss of our name is an error; of other unknown names it is asked what is meant."""

from __future__ import annotations

import inspect
import sys
import typing
import unittest
import warnings

from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))

import lossless
from lossless._ground.wandb_names import OF_MODULE
from lossless._recording.disabled import Disabled
from lossless._recording.experiment import Experiment


class Slips(unittest.TestCase):
    def assertSlip(self, owner: object, name: str, *meant: str) -> None:
        with self.assertRaises(AttributeError) as caught:
            getattr(owner, name)
        for each in (name, *meant):
            self.assertIn(repr(each), str(caught.exception))
        self.assertFalse(hasattr(owner, name))

    def assertAsked(self, owner: object, name: str, meant: str | None) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertFalse(getattr(owner, name)(1, key="value"))
        text = "".join(str(each.message) for each in caught)
        self.assertIn(f"{name} has no counterpart here", text)
        self.assertEqual(meant is not None, "meant?" in text, text)
        self.assertIn("" if meant is None else repr(meant), text)

    def test_of_the_module(self) -> None:
        for name, meant in (
            ("Readr", "Reader"),
            ("finsh", "finish"),
            ("anotate", "annotate"),
            ("load_artefact", "load_artifact"),
            ("sumary", "summary"),
        ):
            self.assertSlip(lossless, name, meant)
        self.assertSlip(lossless, "_private")
        for name, meant in (("lgo", "log"), ("inti", "init")):
            self.assertSlip(lossless, name, meant)
        for name in ("of_a_later_release", "OfALaterRelease", "LaterError", "MAX", "Lossless", "x"):
            self.assertSlip(lossless, name)
            with self.assertRaises(ImportError):
                exec(f"from lossless import {name}")
        # Names of W&B 0.31 exist, whether they do something here or nothing.
        for name in (*OF_MODULE, "AlertLevel", "log", "Api", "__version__"):
            self.assertTrue(hasattr(lossless, name), name)

    def test_of_a_run(self) -> None:
        for number, run in enumerate((Disabled(), object.__new__(Experiment))):
            for name, meant in (("save_artefact", "save_artifact"), ("finissh", "finish")):
                self.assertSlip(run, name, meant)
            for name, asked in (("lgo", "log"), ("of_a_later_release", None)):
                # Each is told once in a process.
                if number == 0:
                    self.assertAsked(run, name, asked)
                self.assertFalse(getattr(run, name)())

    def test_modules_of_this_package_are_found(self) -> None:
        self.assertEqual("lossless.wire", lossless.wire.__name__)
        self.assertEqual("lossless.integrations", lossless.integrations.__name__)

    def test_a_disabled_run_has_every_name_of_an_experiment(self) -> None:
        """`init` says that it gives an Experiment."""
        disabled = Disabled()
        for name in dir(Experiment):
            if not name.startswith("_") and name != "dir":
                self.assertIn(name, {*dir(Disabled), *vars(disabled)})
                if inspect.isfunction(getattr(Experiment, name)):
                    self.assertTrue(callable(getattr(disabled, name)), name)

    def test_type_checkers_are_told_what_init_gives(self) -> None:
        with_names = {**vars(lossless._recording.init), "Experiment": Experiment}
        self.assertIs(Experiment, typing.get_type_hints(lossless.init, with_names)["return"])


if __name__ == "__main__":
    unittest.main()

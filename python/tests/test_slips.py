"""A name that neither this package nor W&B has is an error, at once and for type checkers."""

from __future__ import annotations

import inspect
import sys
import typing
import unittest

from service import ROOT

sys.path.insert(0, str(ROOT / "python/src"))

import lossless
from lossless._disabled import Disabled
from lossless._experiment import Experiment


class Slips(unittest.TestCase):
    def assertSlip(self, owner: object, name: str, *meant: str) -> None:
        with self.assertRaises(AttributeError) as caught:
            getattr(owner, name)
        for each in (name, *meant):
            self.assertIn(repr(each), str(caught.exception))
        self.assertFalse(hasattr(owner, name))

    def test_of_the_module(self) -> None:
        for name, *meant in (
            ("lgo", "log"),
            ("Readr", "Reader"),
            ("inti", "init"),
            ("initialize",),
            ("finsh", "finish"),
            ("anotate", "annotate"),
            ("load_artefact", "load_artifact"),
            ("log_metric",),
            ("log_params",),
            ("start_run",),
            ("sumary", "summary"),
            ("FooBar",),
        ):
            self.assertSlip(lossless, name, *meant)

    def test_of_a_run(self) -> None:
        for run in (Disabled(), object.__new__(Experiment)):
            for name, *meant in (
                ("lgo", "log"),
                ("finsih", "finish"),
                ("save_artefact", "save_artifact"),
                ("sumary",),
                ("log_metric",),
                ("add_scalar",),
            ):
                self.assertSlip(run, name, *meant)

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
        with_names = {**vars(lossless._init), "Experiment": Experiment}
        self.assertIs(Experiment, typing.get_type_hints(lossless.init, with_names)["return"])


if __name__ == "__main__":
    unittest.main()

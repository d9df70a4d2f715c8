"""Odd values in calls of scripts."""

from __future__ import annotations

from scripts import Scripts


class OddValues(Scripts):
    def test_an_exception_without_a_text_fails_the_run_and_is_raised(self) -> None:
        result = self.good_file(
            """
            import lossless
            class Silent(Exception):
                def __str__(self): raise LookupError("of the text")
            try:
                with lossless.init("odd", id="silent") as run:
                    run.log({"x": 1.0})
                    raise Silent()
            except Silent:
                print("raised", run.report.is_complete)
            run = lossless.init("odd", id="given")
            print(run.finish(error=ValueError("a value")).is_complete)
            """
        )
        self.assertEqual(["raised True", "True"], result.stdout.splitlines())
        self.assertEqual(
            "Silent: <Silent>", self.service.query("query.experiment", experimentSlug="odd/silent")["error"]
        )
        self.assertEqual("a value", self.service.query("query.experiment", experimentSlug="odd/given")["error"])

    def test_one_that_nobody_catches(self) -> None:
        result = self.file(
            """
            import lossless
            class Silent(Exception):
                def __str__(self): raise LookupError("of the text")
            run = lossless.init("odd", id="uncaught")
            raise Silent()
            """
        )
        self.assertEqual(1, result.returncode)
        self.assertNotIn("LookupError", result.stderr)
        record = self.service.query("query.experiment", experimentSlug="odd/uncaught")
        self.assertEqual(("error", "Silent: <Silent>"), (record["status"], record["error"]))

    def test_one_without_words(self) -> None:
        """An exception without text, as Ctrl-C raises."""
        result = self.file(
            """
            import lossless
            try:
                with lossless.init("odd", id="interrupted"):
                    raise KeyboardInterrupt
            except KeyboardInterrupt: pass
            run = lossless.init("odd", id="interrupted-alone")
            raise KeyboardInterrupt
            """
        )
        self.assertNotEqual(0, result.returncode)
        for name in ("odd/interrupted", "odd/interrupted-alone"):
            record = self.service.query("query.experiment", experimentSlug=name)
            self.assertEqual(("error", "KeyboardInterrupt"), (record["status"], record["error"]))

    def test_a_mode_that_is_none(self) -> None:
        self.script(
            """
            import lossless
            for mode in (True, 1, "sideways"):
                try: lossless.init("odd", mode=mode)
                except lossless.SettingsError as error: assert repr(mode) in str(error), error
                else: raise AssertionError(mode)
            """
        )

    def test_the_working_directory_is_removed(self) -> None:
        result = self.good_file(
            """
            import os, tempfile
            import lossless
            directory = tempfile.mkdtemp()
            os.chdir(directory)
            os.rmdir(directory)
            run = lossless.init("odd", id="nowhere")
            print(os.path.isdir(run.dir))
            run.log({"x": 1.0})
            print(run.finish().is_complete)
            """
        )
        self.assertEqual(["True", "True"], result.stdout.splitlines())

    def test_versions_that_are_numbers(self) -> None:
        result = self.good_file(
            """
            import os, tempfile
            import lossless
            directory = tempfile.mkdtemp()
            for number in range(2):
                path = os.path.join(directory, "file")
                with open(path, "w") as file: file.write(str(number))
                print(lossless.save_artifact(path, "odd/numbers").version)
            for version in (1, 2, "latest"):
                into = os.path.join(directory, f"restored-{version}")
                lossless.load_artifact("odd/numbers", into, version)
                print(open(os.path.join(into, "file")).read())
            print(lossless.save_artifact(path, "odd/numbers", 7).version)
            for version in (1.5, True, -1, ""):
                try: lossless.load_artifact("odd/numbers", os.path.join(directory, "none"), version)
                except lossless.SettingsError as error: print("told")
            """
        )
        numbers = ["000000000001", "000000000002", "0", "1", "1", "000000000007"]
        self.assertEqual([*numbers, *4 * ["told"]], result.stdout.splitlines())

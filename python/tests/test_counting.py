"""Values that cannot be recorded are counted and named, and cost no other value."""

from __future__ import annotations

import json
import os
import re
import unittest

from scripts import Scripts


class Counting(Scripts):
    def test_points_that_a_full_disk_takes_back(self) -> None:
        """Such points wait in memory, and go to the spool at the end if there is room again."""
        result = self.good_file(
            """
            import resource, lossless
            run = lossless.init(id="full-for-a-while", system=False)
            for step in range(1000): run.log({"x": float(step)})
            limit = run.directory.joinpath("events-000001.log").stat().st_size + 100
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            for step in range(1000): run.log({"x": float(step)})
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            report = run.finish()
            print(report.is_complete, report.stored, report.lost)
            """
        )
        self.assertEqual("True 2000 0\n", result.stdout)
        self.assertEqual(2000, len(self.service.points("full-for-a-while")["x"]))
        self.assertEqual([], self.spools())

    def test_points_that_a_full_disk_never_takes_reach_the_service_from_memory(self) -> None:
        result = self.good_file(
            """
            import resource, lossless
            run = lossless.init(id="full-for-ever", system=False)
            for step in range(1000): run.log({"x": float(step)})
            limit = run.directory.joinpath("events-000001.log").stat().st_size + 100
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            for step in range(1000): run.log({"x": float(step)})
            report = run.finish()
            print(report.is_complete, report.lost)
            """
        )
        self.assertEqual("True 0\n", result.stdout)
        self.assertNotIn("LOST", result.stderr)
        self.until(lambda: self.record("full-for-ever")["status"] == "done", "it ends")
        self.assertEqual(2000, len(self.service.points("full-for-ever")["x"]))

    def test_what_is_no_number_is_counted_also_offline(self) -> None:
        result = self.good_file(
            """
            import warnings; warnings.simplefilter("ignore")
            import lossless
            class Broken:
                def item(self): raise RuntimeError("many elements")
                def __str__(self): raise RuntimeError("no text")
            run = lossless.init(id="uncounted", mode="offline", config={"broken": Broken()})
            for step in range(100): run.log({"list": [1, 2], "text": b"x", "huge": 10**400, "b": Broken(), "good": 1.0})
            run.log({"x": 1.0}, timestamp_ms="yesterday")
            run.log({"a.b": 1.0, "a": {"b": 2.0}})
            run.log([("x", 1.0)])
            run.summary["broken"] = Broken()
            report = run.finish()
            print(report.refused, sorted((one["reason"].split(":")[0], one["count"]) for one in report.refusals))
            """
        )
        named = [("'a.b'", 1), ("'b'", 100), ("'huge'", 100), ("'list'", 100), ("'text'", 100)]
        self.assertTrue(result.stdout.startswith("403 "), result.stdout)
        for each in named:
            self.assertIn(str(each), result.stdout)
        [spool] = self.spools()
        lines = (spool / "events-000001.log").read_bytes().splitlines()
        self.assertLess(sum(line[9:].startswith(b'["x"') for line in lines), 50)
        self.assertEqual(0, self.sync().returncode)
        self.assertEqual(100, len(self.service.points("uncounted")["good"]))
        self.assertEqual("done", self.record("uncounted")["status"])
        self.assertEqual([], self.spools())

    def test_many_reasons_are_counted_once(self) -> None:
        text = """
            import warnings; warnings.simplefilter("ignore")
            import lossless
            run = lossless.init(id="reasons")
            for number in range(150): run.log({f"m{number}": b"bytes"})
            print(run.finish(quiet=True).refused)
        """
        self.assertEqual("150\n", self.good_file(text).stdout)

    def test_a_name_twice_in_one_call_is_counted(self) -> None:
        result = self.good_file(
            """
            import warnings; warnings.simplefilter("ignore")
            import lossless
            run = lossless.init(id="twice")
            run.log({"a.b": 0.5, "1": 0.5})
            run.log({"a": {"b": 1.0}, "a.b": 2.0, 1: 0.5, "1": 0.6})
            report = run.finish(quiet=True)
            print(report.stored, report.refused)
            """
        )
        self.assertEqual("4 2\n", result.stdout)

    def test_a_diverged_run_with_changing_meta_stays_small(self) -> None:
        self.good_file(
            """
            import lossless
            run = lossless.init(id="diverged", mode="offline", system=False)
            for batch in range(15_000): run.log({"x": float("nan"), "y": float("nan")}, meta={"batch": batch})
            run.finish(quiet=True)
            """
        )
        [spool] = self.spools()
        notes = [line for line in (spool / "events-000001.log").read_bytes().splitlines() if line[9:13] == b'["a"']
        self.assertLess(len(notes), 10_000 + 1_000 + 10)
        self.assertEqual(20_000, sum(int(re.search(rb'"count":(\d+)', line)[1]) for line in notes[10_000:]))

    def test_what_is_only_counted_says_which_was_the_last(self) -> None:
        self.good_file(
            """
            import lossless
            run = lossless.init(id="counted", system=False)
            for step in range(10_010): run.log({"x": float("-inf" if step == 10_009 else "nan")}, timestamp_ms=step)
            run.log({"x": float("nan")}, step=7)
            run.finish(quiet=True, timeout=600)
            run = lossless.init(id="counted", resume="must", system=False)
            assert run.step == 10_010 and run.summary["x"] == float("-inf"), (run.step, run.summary)
            run.finish(quiet=True, timeout=600)
            """
        )
        [note] = [each["meta"] for each in self.service.annotations("counted") if "count" in each["meta"]]
        last = {"lastStep": 10_009, "lastTimestampMs": 10_009, "lastValue": "-Infinity"}
        counted = {key: note[key] for key in ("step", "value", "count", *last)}
        self.assertEqual({"step": 10_000, "value": "NaN", "count": 11, **last}, counted)

    def test_integers_that_no_number_holds_are_rounded_and_told(self) -> None:
        result = self.good_file(
            "import lossless\nrun = lossless.init(id='rounded')\nrun.log({'x': 2**53 + 1})\nrun.log({'y': 2**60})"
        )
        self.assertIn("'x': 9007199254740993 is rounded to 9007199254740992.0", result.stderr)
        self.assertNotIn("'y'", result.stderr)
        # JSON carries the shortest digits that make the same 64-bit number.
        values = {name: float(rows[0][1]) for name, rows in self.service.points("rounded").items()}
        self.assertEqual({"x": float(2**53), "y": float(2**60)}, values)

    def test_a_text_that_the_service_does_not_store_stops_nothing(self) -> None:
        self.good_file(
            r"""
            import lossless
            config = {"path": "/data/\udcff", "nul": "a\0b", "key\udcff": 1, "deep": {"x": ["\ud800"]}}
            run = lossless.init(id="texts", config=config, notes="a\0b\udcff")
            run.log({"x": 1.0}, meta={"k": "v"})
            assert run.finish().is_complete
            """
        )
        record = self.record("texts")
        self.assertEqual("done", record["status"])
        self.assertEqual("a\ufffdb?", record["description"])
        self.assertEqual({"path": "/data/?", "nul": "a\ufffdb", "key?": 1, "deep": {"x": ["?"]}}, record["meta"])


class Places(Scripts):
    def test_a_spool_that_cannot_be_written_is_replaced_by_another(self) -> None:
        temporary = self.service.directory / "temporary"
        temporary.mkdir()
        result = self.good_file(
            "import lossless\nrun = lossless.init(id='elsewhere')\nrun.log({'x': 1.0})\nprint(run.directory)",
            LOSSLESS_SPOOL="/dev/null/spool",
            TMPDIR=str(temporary),
        )
        self.assertIn(f"recording into {temporary}", result.stderr)
        self.assertEqual({"x": [(0, 1.0, {})]}, self.service.points("elsewhere"))

    def test_a_relative_directory_is_the_one_of_that_moment(self) -> None:
        directory = self.service.directory / "relative"
        (directory / "elsewhere").mkdir(parents=True)
        self.good_file(
            """
            import os, sys, lossless
            os.chdir(sys.argv[1])
            run = lossless.init(id="relative", dir="runs")
            os.chdir("elsewhere")
            run.log({"x": 1.0})
            assert run.finish().is_complete
            """,
            str(directory),
            XDG_STATE_HOME=str(directory / "state"),
        )
        self.assertEqual({"x": [(0, 1.0, {})]}, self.service.points("relative"))

    def test_a_user_without_a_home(self) -> None:
        """Containers that run with any user id have such users."""
        temporary = self.service.directory / "homeless"
        temporary.mkdir()
        text = """
            import os, pathlib, lossless
            def none(): raise RuntimeError("no home")
            pathlib.Path.home = none
            run = lossless.init(id="homeless")
            run.log({"x": 1.0})
            assert run.finish().is_complete
        """
        variables = {"LOSSLESS_SPOOL": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "TMPDIR": str(temporary)}
        self.good_file(text, **variables)
        self.assertEqual({"x": [(0, 1.0, {})]}, self.service.points("homeless"))

    def test_a_user_without_a_home_or_any_place(self) -> None:
        """Another user was first below the directory for temporary files: training goes on."""
        temporary = self.service.directory / "placeless"
        taken = temporary / f"lossless-{os.getuid()}"
        taken.mkdir(parents=True)
        taken.chmod(0o777)
        text = """
            import pathlib, sys, lossless
            run = lossless.init(id="placeless")
            run.log({"x": 1.0})
            assert run.finish().lost == 1
            file = pathlib.Path(sys.argv[0])
            lossless.save_artifact(file, "placeless")
            into = file.parent / "loaded"
            into.mkdir()
            (into / "before").touch()
            lossless.load_artifact("placeless", into, replace=True)
            assert [path.name for path in into.iterdir()] == [file.name]
            assert lossless.Reader().experiments() is not None
        """
        places = {"LOSSLESS_SPOOL": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "TMPDIR": str(temporary)}
        told = self.good_file(text, HOME="", **places).stderr
        self.assertIn("nothing is recorded: this user has no home directory", told)
        self.assertIn("set LOSSLESS_SPOOL to a directory", told)
        self.assertIn("an upload cannot be resumed after an interruption", told)

    def test_settings_that_make_no_sense_are_refused_at_once(self) -> None:
        for name, value, told in (
            ("LOSSLESS_URL", "127.0.0.1:7070", "begins with http:// or https://"),
            ("LOSSLESS_API_KEY", "ak_a b", "characters that no key has"),
            ("LOSSLESS_API_KEY", "\n", "the key is blank"),
        ):
            result = self.file("import lossless\nlossless.init('p')", **{name: value})
            self.assertIn(told, result.stderr)
            self.assertNotEqual(0, result.returncode)
        for arguments in (
            "folder=5",
            "meta={'k': 'v' * 513}",
            "meta=5",
            "mode='maybe'",
            "id='x' * 201",
            "slug='x' * 201",
        ):
            result = self.file(f"import lossless\nlossless.init('p', {arguments})")
            self.assertIn("SettingsError", result.stderr, arguments)
            self.assertEqual([], self.spools())
        key = self.environment()["LOSSLESS_API_KEY"]
        self.good_file("import lossless\nlossless.init(id='newline').log({'x': 1.0})", LOSSLESS_API_KEY=f"{key}\n")
        self.assertEqual({"x": [(0, 1.0, {})]}, self.service.points("newline"))

    def test_sync_finds_what_init_was_told_to_put_elsewhere(self) -> None:
        home = self.service.directory / "home"
        places = {"LOSSLESS_SPOOL": "", "XDG_STATE_HOME": str(home), "LOSSLESS_SYSTEM": "off"}
        other = self.service.directory / "elsewhere with spaces"
        self.good_file(
            "import lossless, sys\nlossless.init(id='told', mode='offline', dir=sys.argv[1]).log({'x': 1.0})",
            str(other),
            **places,
        )
        self.assertEqual(1, len(list(other.iterdir())))
        result = self.sync(**places)
        self.assertIn("1 point stored", result.stdout)
        self.assertEqual({"x": [(0, 1.0, {})]}, self.service.points("told"))
        self.assertEqual(1, self.sync(str(home / "absent"), **places).returncode)

    def test_state_is_no_secret(self) -> None:
        self.good_file("import lossless\nlossless.init(id='open', mode='offline').log({'x': 1.0})")
        [spool] = self.spools()
        key = self.environment()["LOSSLESS_API_KEY"]
        for path in spool.iterdir():
            self.assertNotIn(key, path.read_text("utf-8", "replace"))
        self.assertEqual("open", json.loads((spool / "run.json").read_text())["slug"])


if __name__ == "__main__":
    unittest.main()

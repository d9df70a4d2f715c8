"""`import wandb` answered by this package: to libraries that ask in any way, at every door."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from scripts import Scripts
from service import ROOT

from lossless._wandb.modules import module

_LIBRARIES = sorted((ROOT / "python/tests/wandb_libraries").glob("*.py"))
_LOSSES = [(0, 1.0), (1, 0.5), (2, 0.25)]


class AsWandb(Scripts):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="lossless-as-wandb-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def python(
        self, *words: str | Path, code: int = 0, program: str = sys.executable, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs Python in a directory of its own, which it must end as it should."""
        result = subprocess.run(
            [program, *map(str, words)],
            env=self.environment(**variables),
            cwd=self.place,
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertEqual(code, result.returncode, result.stderr)
        return result

    def written(self, name: str, text: str) -> Path:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def with_wandb(self) -> dict[str, str]:
        """Installs a package of W&B, which must never be imported."""
        self.written("site/wandb/__init__.py", "raise RuntimeError('the package of W&B is imported')")
        self.written("site/wandb/sdk/__init__.py", "")
        self.written("site/wandb/only_there.py", "")
        self.written("site/wandb-0.9.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: wandb\nVersion: 0.9.0\n")
        path = f"{self.place / 'site'}{os.pathsep}{ROOT / 'python/src'}"
        return {"PYTHONPATH": path}

    def installed(self, *hooks: Path) -> tuple[str, dict[str, str]]:
        """Installs this package as pip does: returns the interpreter, and its environment."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.place / "venv"], check=True, timeout=240)
        program = str(self.place / "venv/bin/python")
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        site = Path(subprocess.check_output([program, "-c", where], text=True, timeout=240).strip())
        (site / "lossless.pth").write_text(f"{ROOT / 'python/src'}\n")
        for hook in hooks:
            (site / hook.name).write_bytes(hook.read_bytes())
        return program, {"PYTHONPATH": ""}

    # ---- libraries

    def test_every_library_records_whether_wandb_is_installed_or_not(self) -> None:
        self.assertEqual(6, len(_LIBRARIES))
        for variables in ({}, self.with_wandb()):
            for library in _LIBRARIES:
                with self.subTest(library.stem, is_installed=bool(variables)):
                    result = self.python("-m", "lossless", "run", library, WANDB_RESUME="", **variables)
                    self.check(library, result)

    def check(self, library: Path, result: subprocess.CompletedProcess[str]) -> None:
        slug = result.stdout.strip()
        self.assertTrue(slug.startswith(f"libraries/{library.stem}"), result.stdout)
        self.assertEqual(_LOSSES, self.stored(slug, "loss"))
        record = self.record(slug)
        self.assertEqual(("done", library.stem, 0.5), (record["status"], record["meta"]["_name"], record["meta"]["lr"]))
        self.assertNotIn("Traceback", result.stderr)
        told = {"by_requirement": ["run.watch"], "by_star": ["AutologAPI"]}.get(library.stem, [])
        self.assertEqual(len(told), result.stderr.count("Warning: lossless"), result.stderr)
        for name in told:
            self.assertEqual(1, result.stderr.count(f"{name} has no counterpart here"), result.stderr)
        if library.stem == "by_star":
            self.assertEqual("why", record["description"])

    # ---- doors

    def test_an_object_that_ends_with_python_finds_no_run(self) -> None:
        made = module("wandb")
        # Python empties modules so at its end, before the last objects are deleted.
        made.__dict__.update(dict.fromkeys(made.__dict__))
        self.assertIsNone(made.run)

    def test_in_code_and_in_the_processes_that_it_starts(self) -> None:
        program, variables = self.installed(ROOT / "python/lossless_hook.pth")
        path = self.written(
            "train.py",
            """
            import multiprocessing, subprocess, sys
            import lossless

            def child():
                import wandb
                with wandb.init(project="doors", name="spawned") as run:
                    run.log({"loss": 1})

            if __name__ == "__main__":
                lossless.as_wandb()
                lossless.as_wandb()
                import wandb
                run = wandb.init(project="doors", name="code")
                run.log({"loss": 1}, step=0)
                run.log({"loss": 2}, step=0)
                run.finish()
                print(run.slug)
                process = multiprocessing.get_context("spawn").Process(target=child)
                process.start(); process.join()
                assert process.exitcode == 0
                text = "import wandb; r = wandb.init(project='doors', name='started'); r.log({'loss': 1}); print(r.slug)"
                subprocess.run([sys.executable, "-c", text], check=True)
            """,
        )
        result = self.python(path, program=program, **variables)
        first, last = result.stdout.split()
        # Under W&B's name a key of one step has one value: the last.
        self.assertEqual([(0, 2.0)], self.stored(first, "loss"))
        self.assertEqual([(0, 1.0)], self.stored(last, "loss"))
        self.assertIn("1 point stored in doors/spawned-", result.stderr)

    def test_under_its_own_name_each_value_is_kept(self) -> None:
        self.python(
            "-c",
            "import lossless; lossless.as_wandb(); import wandb\n"
            "run = lossless.init(id='own-name')\nfor value in (1, 2): run.log({'loss': value}, step=0)\nrun.finish()",
        )
        self.assertEqual([(0, 1.0), (0, 2.0)], self.stored("own-name", "loss"))

    def test_the_variable_and_the_package_of_its_own(self) -> None:
        asked, always = ROOT / "python/lossless_hook.pth", ROOT / "python/as-wandb/lossless_hook_always.pth"
        program, variables = self.installed(asked)
        text = (
            "import importlib.metadata as m, importlib.util as u, sys; print(*(k for k in sys.modules if 'lossless' in k))"
            "\nprint(u.find_spec('wandb') is not None)"
            "\ntry: print(m.version('wandb'))\nexcept m.PackageNotFoundError: print('absent')"
        )
        for value, is_answered in (("", False), ("0", False), ("off", False), ("1", True), ("true", True)):
            lines = self.python("-c", text, program=program, LOSSLESS_AS_WANDB=value, **variables).stdout.splitlines()
            self.assertEqual([str(is_answered), "0.31.0" if is_answered else "absent"], lines[1:], value)
            # Nothing of the package is loaded unless it is asked for.
            self.assertEqual(bool(value), bool(lines[0]), lines)
        library = _LIBRARIES[0]
        self.check(library, self.python(library, program=program, LOSSLESS_AS_WANDB="1", **variables))
        program, variables = self.installed(asked, always)
        self.check(library, self.python(library, program=program, **variables))
        off = self.python("-c", text, program=program, LOSSLESS_AS_WANDB="0", **variables)
        self.assertEqual(["False", "absent"], off.stdout.splitlines()[1:])

    def test_a_package_of_wandb_that_is_imported_already_is_not_mixed_in(self) -> None:
        self.written("site/wandb/__init__.py", "own = True")
        path = f"{self.place / 'site'}{os.pathsep}{ROOT / 'python/src'}"
        result = self.python(
            "-c",
            """
import os, sys, wandb, lossless
finders = list(sys.meta_path)
try:
    lossless.as_wandb()
except lossless.LosslessError as error:
    print(error)
assert wandb.own and sys.meta_path == finders and "LOSSLESS_AS_WANDB" not in os.environ
""",
            PYTHONPATH=path,
        )
        self.assertIn("imported already (wandb), and the two cannot be mixed", result.stdout)

    def test_a_script_that_has_put_this_package_there_goes_on(self) -> None:
        self.python(
            "-W",
            "error",
            "-c",
            "import sys, lossless; sys.modules['wandb'] = lossless; lossless.as_wandb(); import wandb\n"
            "assert wandb is not lossless and wandb.init(mode='disabled').disabled",
        )

    def test_wheels_have_what_python_runs_at_its_start(self) -> None:
        """With a flit that makes the smallest wheel; `release.long.ts` installs the real ones."""
        self.written("flit_core/__init__.py", "")
        self.written(
            "flit_core/buildapi.py",
            """
            import zipfile
            def build_wheel(directory, *_):
                with zipfile.ZipFile(directory + "/own.whl", "w") as archive:
                    archive.writestr("own/__init__.py", "")
                    archive.writestr("own.dist-info/RECORD", "own/__init__.py,,\\nown.dist-info/RECORD,,\\n")
                return "own.whl"
            build_editable = build_sdist = build_wheel
            for name in ("wheel", "editable", "sdist"):
                globals()[f"get_requires_for_build_{name}"] = globals()[f"prepare_metadata_for_build_{name}"] = None
            """,
        )
        for folder, backend, hook in (
            ("python", "start_hook", "lossless_hook.pth"),
            ("python/as-wandb", "backend", "lossless_hook_always.pth"),
        ):
            text = f"""
import base64, hashlib, os, sys, zipfile
sys.path[:0] = [{str(self.place)!r}, "build_backend" if {folder!r} == "python" else "."]
import {backend} as backend
for build in (backend.build_wheel, backend.build_editable):
    with zipfile.ZipFile(os.path.join({str(self.place)!r}, build({str(self.place)!r}))) as archive:
        content = archive.read({hook!r})
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record = archive.read("own.dist-info/RECORD").decode().splitlines()
        assert f"{hook},sha256={{digest}},{{len(content)}}" in record and len(record) == 3, record
        assert content == open({hook!r}, "rb").read() and archive.testzip() is None
"""
            with self.subTest(folder):
                subprocess.run([sys.executable, "-B", "-c", text], cwd=ROOT / folder, check=True, timeout=240)

    # ---- metadata

    def test_who_asks_for_all_of_the_environment_is_answered_and_who_asks_for_a_directory_is_not(self) -> None:
        variables = self.with_wandb()
        result = self.python(
            "-c",
            """
import importlib.metadata as m, json, sys, lossless
lossless.as_wandb()
d = m.distribution("WandB")
print(json.dumps([
    [d.version, d.metadata["Name"], d.files, d.requires, list(d.entry_points)],
    [each.version for each in m.distributions() if each.metadata["Name"] == "wandb"],
    [each.version for each in m.distributions(name="wandb", path=[sys.argv[1]])],
    m.packages_distributions()["wandb"][0],
    len(list(m.distributions(name="pip"))) == len(list(m.distributions(name="pip", path=sys.path))),
]))
""",
            self.place / "site",
            **variables,
        )
        whole, all_of_them, there, first, is_same = json.loads(result.stdout)
        self.assertEqual(["0.31.0", "wandb", None, None, []], whole)
        self.assertEqual(["0.31.0", "0.9.0"], all_of_them[:2])
        self.assertEqual(["0.9.0"], there)
        self.assertEqual("wandb", first)
        self.assertTrue(is_same)

    def test_modules_that_wandb_has_not_are_not_found(self) -> None:
        self.python(
            "-W",
            "error",
            "-c",
            """
import importlib.util, inspect, lossless
lossless.as_wandb()
import wandb
for name in ("wandb.only_there", "wandb.no_such"):
    assert importlib.util.find_spec(name) is None
try:
    import wandb.only_there
except ModuleNotFoundError:
    pass
else:
    raise AssertionError
for name in ("no_such", "__wrapped__", "_private"):
    assert not hasattr(wandb, name), name
assert hasattr(wandb, "log") and importlib.util.find_spec("wandb.sdk.lib.anything") is not None
assert inspect.getmodule(lossless.Reader).__name__ == "lossless._reading.reader"
assert wandb.__path__ == [] and wandb.__spec__.name == "wandb"
""",
            **self.with_wandb(),
        )

    # ---- running programs

    def test_a_program_is_run_as_python_runs_it(self) -> None:
        text = """
            import os, sys, wandb
            assert sys.modules["__main__"].__dict__ is globals()
            names = sorted(name for name in globals() if name not in ("__annotations__", "__cached__"))
            print(__name__, *map(os.path.basename, (__file__, sys.argv[0])), *sys.argv[1:], *names)
            print(os.path.abspath(sys.path[0]))
            import beside
            """
        self.written("own/train.py", text)
        self.written("own/beside.py", "")
        self.written("own/__main__.py", text)
        self.written("own/inner/__init__.py", "")
        self.written("own/inner/__main__.py", text)
        # What Python itself imports: the program is the same.
        self.written("plain/wandb.py", "")
        paths = (self.place / "own", ROOT / "python/src")
        for words in (("own/train.py", "-x", "--help"), ("own", "y"), ("-m", "train", "run"), ("-m", "inner")):
            with self.subTest(words):
                plain = self.python(*words, PYTHONPATH=os.pathsep.join(map(str, (self.place / "plain", *paths))))
                here = self.python("-m", "lossless", "run", *words, PYTHONPATH=os.pathsep.join(map(str, paths)))
                self.assertEqual(plain.stdout, here.stdout)

    def test_how_a_program_ends_is_how_its_run_ends(self) -> None:
        for end, code, status in (
            ("", 0, ("done", None)),
            ("sys.exit()", 0, ("done", None)),
            ("sys.exit(3)", 3, ("error", "exit code 3")),
            ("raise lossless.LosslessError('torn')", 1, ("error", "LosslessError: torn")),
        ):
            with self.subTest(end):
                slug = f"ended-{code}-{len(end)}"
                path = self.written(
                    "train.py",
                    f"import sys, lossless, wandb\nrun = wandb.init(id={slug!r})\nrun.log({{'x': 1}})\n{end}\n",
                )
                result = self.python("-m", "lossless", "run", path, code=code)
                record = self.record(slug)
                self.assertEqual(status, (record["status"], record["error"]))
                # A run that a global holds ends with the process, not before: it is told.
                self.assertIn(f"1 point stored in {slug}", result.stderr)

    def test_a_program_that_opens_no_run_is_recorded_with_a_slug(self) -> None:
        path = self.written("sample.py", "import sys\nprint('ROMEO: ay,', sys.argv[1])\nsys.exit(int(sys.argv[2]))\n")
        self.python("-m", "lossless", "run", "--slug", "gpt/samples", path, "me", "0", LOSSLESS_SOURCE="command")
        lines = [line["text"] for line in self.service.console("gpt/samples")["lines"]]
        self.assertIn("ROMEO: ay, me", lines)
        record = self.record("gpt/samples")
        self.assertEqual("done", record["status"])
        self.assertTrue(record["meta"]["_source"]["script"].endswith("sample.py"), record["meta"])
        self.python("-m", "lossless", "run", "--slug", "gpt/failed", path, "me", "3", code=3)
        failed = self.record("gpt/failed")
        self.assertEqual(("error", "exit code 3"), (failed["status"], failed["error"]))
        # As a second `init` in a program.
        train = self.written("train.py", "import wandb\nwandb.init()\nwandb.log({'loss': 1.0})\n")
        self.python("-m", "lossless", "run", "--slug", "gpt/train", train)
        self.assertEqual([(0, 1)], self.stored("gpt/train", "loss"))

    def test_a_wrong_command_line_says_what_is_right(self) -> None:
        for words, told in (
            ((), "usage: lossless run [--slug SLUG] FILE"),
            (("-m",), "usage: lossless run [--slug SLUG] FILE"),
            (("-c", "1"), "usage: lossless run [--slug SLUG] FILE"),
            (("train",), "there is no file train; a module is run by lossless run -m train"),
        ):
            self.assertIn(told, self.python("-m", "lossless", "run", *words, code=2).stderr)
        self.assertIn("usage: lossless run [--slug SLUG] FILE", self.python("-m", "lossless", "run", "--help").stdout)


if __name__ == "__main__":
    unittest.main()

"""The effect of W&B's variables and arguments on `init`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import unittest
from typing import Any

from service import WithService


class WandbEnvironment(WithService):
    def script(self, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = self.service.environment(spool=self._testMethodName, **variables)
        with tempfile.TemporaryDirectory() as directory:
            result = subprocess.run(
                [sys.executable, "-W", "error", "-c", textwrap.dedent(text)],
                env=environment,
                cwd=directory,
                capture_output=True,
                text=True,
                timeout=120,
            )
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def record(self, slug: str) -> Any:
        return self.service.query("query.experiment", experimentSlug=slug)

    # ---- variables

    def test_what_is_not_given_is_taken_from_them(self) -> None:
        variables = {
            "WANDB_PROJECT": "env",
            "WANDB_RUN_ID": "r1",
            "WANDB_NAME": "shown",
            "WANDB_NOTES": "why",
            "WANDB_TAGS": "a, b,",
            "WANDB_RUN_GROUP": "g",
            "WANDB_JOB_TYPE": "train",
            "WANDB_ENTITY": "team",
        }
        text = "import lossless as wandb; print(wandb.init().slug); wandb.log({'x': 1}); wandb.finish()"
        self.script(text, **variables)
        record = self.record("env/r1")
        self.assertEqual("why", record["description"])
        self.assertEqual({"_name": "shown", "_tags": ["a", "b"], "_group": "g", "_job_type": "train"}, record["meta"])
        slug = self.script(text, WANDB_PROJECT="env", WANDB_NAME="r2").stdout.strip()
        self.assertRegex(slug, r"^env/r2-\w{6}$")
        self.assertEqual({"_name": "r2"}, self.record(slug)["meta"])
        refused = "import lossless; lossless.init(project='env', id='r1')"
        with self.assertRaisesRegex(AssertionError, "env/r1 exists already"):
            self.script(refused, WANDB_RESUME="never")

    def test_arguments_go_before_them(self) -> None:
        self.script(
            """
            import lossless as wandb
            wandb.init("own", "named", notes="mine", tags=["t"], group="h")
            wandb.finish()
            """,
            WANDB_PROJECT="env",
            WANDB_RUN_ID="r3",
            WANDB_NAME="shown",
            WANDB_NOTES="why",
            WANDB_TAGS="a",
            WANDB_RUN_GROUP="g",
        )
        record = self.record("own/r3")
        own = {"_name": "named", "_tags": ["t"], "_group": "h"}
        self.assertEqual(("mine", own), (record["description"], record["meta"]))

    def test_the_mode(self) -> None:
        """The argument has precedence over LOSSLESS_MODE, and that over WANDB_MODE."""
        text = "import lossless as wandb; run = wandb.init(id='m'); print(run.mode); run.finish(quiet=True)"
        for variables, mode in (
            ({"WANDB_MODE": "offline"}, "offline"),
            ({"WANDB_MODE": "dryrun"}, "offline"),
            ({"WANDB_MODE": "disabled"}, "disabled"),
            ({"WANDB_MODE": "disabled", "LOSSLESS_MODE": "offline"}, "offline"),
            ({"WANDB_MODE": "disabled", "LOSSLESS_MODE": "Online"}, "online"),
        ):
            result = self.script(text, **variables)
            self.assertEqual(f"{mode}\n", result.stdout, variables)
            is_told = "WANDB_MODE=disabled: nothing is recorded" in result.stderr
            self.assertEqual(mode == "disabled", is_told, result.stderr)
        self.assertEqual(
            "online\n", self.script(text.replace("id='m'", "id='m', mode='online'"), WANDB_MODE="disabled").stdout
        )

    def test_a_wrong_mode_names_what_said_it(self) -> None:
        text = """
            import lossless
            try:
                lossless.init(id="m"{more})
            except lossless.SettingsError as error:
                print(error)
            """
        for more, variables, told in (
            ("", {"LOSSLESS_MODE": "foo"}, "LOSSLESS_MODE must be online, offline or disabled, not 'foo'"),
            ("", {"WANDB_MODE": "foo"}, "WANDB_MODE must be online, offline or disabled, not 'foo'"),
            (", mode='foo'", {}, "mode must be online, offline or disabled, not 'foo'"),
            (", mode=True", {}, "mode must be online, offline or disabled, not True"),
        ):
            self.assertEqual(f"{told}\n", self.script(text.format(more=more), **variables).stdout)

    def test_settings_say_it_before_the_variables_and_after_the_arguments(self) -> None:
        text = """
            import lossless as wandb
            settings = {settings}
            run = wandb.init(name="own", settings=settings)
            assert run.settings.run_id == run.id and run.settings.project == run.project and run.settings.x is None
            wandb.finish()
            """
        said = (
            'project="said", run_id={id!r}, run_name="not", run_notes="why", run_tags=("a", "b"), run_group="g", '
            'run_job_type="eval", start_method="thread", console="off", x_disable_stats=True'
        )
        for kind, id in (("wandb.Settings", "one"), ("dict", "two")):
            settings = f"{kind}({said.format(id=id)})"
            self.script(text.format(settings=settings), WANDB_PROJECT="env", WANDB_NOTES="no", WANDB_RUN_ID="no")
            record = self.record(f"said/{id}")
            self.assertEqual("why", record["description"])
            self.assertEqual({"_name": "own", "_tags": ["a", "b"], "_group": "g", "_job_type": "eval"}, record["meta"])
        mode = (
            "import lossless as wandb; print(wandb.init(settings=wandb.Settings(mode='offline')).mode); wandb.finish()"
        )
        self.assertEqual("offline\n", self.script(mode, WANDB_MODE="online").stdout)

    def test_disabled_by_the_old_variable_is_told(self) -> None:
        text = """
            import lossless as wandb
            run = wandb.init(id="d")
            # Transformers calls it of any run.
            assert run._label(code="x") is None and run.settings.mode == run.mode
            print(run.mode)
            run.finish(quiet=True)
            """
        for value, mode in (("true", "disabled"), ("1", "disabled"), ("false", "offline"), ("", "offline")):
            result = self.script(text, WANDB_DISABLED=value, WANDB_MODE="" if mode == "disabled" else "offline")
            self.assertEqual(f"{mode}\n", result.stdout)
            self.assertEqual(mode == "disabled", f"WANDB_DISABLED={value}: nothing is recorded" in result.stderr)

    def test_silence_leaves_out_what_is_good(self) -> None:
        text = """
            import lossless as wandb
            run = wandb.init(id=ID)
            run.log({"x": 1})
            run.log({"y": 1}, step=-1) if BAD else None
            run.finish()
            """
        for name in ("WANDB_SILENT", "WANDB_QUIET"):
            good = text.replace("ID", repr(name)).replace("BAD", "False")
            self.assertEqual("", self.script(good, **{name: "true"}).stderr)
        self.assertIn(
            "recording loud", self.script(good.replace("'WANDB_QUIET'", "'loud'"), WANDB_SILENT="false").stderr
        )
        bad = text.replace("ID", "'bad'").replace("BAD", "True")
        self.assertIn("1 point refused", self.script(bad, WANDB_SILENT="true").stderr)

    def test_recordings_wait_below_the_directory_of_wandb(self) -> None:
        text = """
            import lossless as wandb, os
            run = wandb.init(id="d", mode="offline")
            print(os.path.relpath(run.directory.parent, DIRECTORY))
            run.finish(quiet=True)
            """
        with tempfile.TemporaryDirectory() as directory:
            text = text.replace("DIRECTORY", repr(directory))
            below = self.script(text, WANDB_DIR=directory, LOSSLESS_SPOOL="")
            self.assertEqual("lossless\n", below.stdout)
            own = self.script(text, WANDB_DIR=directory)
            self.assertTrue(own.stdout.startswith(".."))

    # ---- keys of the config

    def test_keys_of_the_config_that_are_left_out_are_stored_nowhere(self) -> None:
        self.script(
            """
            import argparse
            import lossless as wandb
            config = {"lr": 1, "password": "hunter2", 3: "x"}
            wandb.init(id="without", config=config, config_exclude_keys=["password", "absent"]).finish()
            wandb.init(id="with", config=argparse.Namespace(**{str(k): v for k, v in config.items()}),
                       config_include_keys=("lr", "3")).finish()
            wandb.init(id="one", config=config, config_exclude_keys="password", config_include_keys=["password", "lr"])
            wandb.finish()
            run = wandb.init(mode="disabled", config=config, config_include_keys=["lr"])
            assert dict(run.config) == {"lr": 1}
            for wrong in (5, object()):
                try:
                    wandb.init(id="wrong", config=config, config_exclude_keys=wrong)
                except wandb.SettingsError as error:
                    assert "config_exclude_keys" in str(error)
                else:
                    raise AssertionError(wrong)
            """
        )
        self.assertEqual({"lr": 1, "3": "x"}, self.record("without")["meta"])
        self.assertEqual({"lr": 1, "3": "x"}, self.record("with")["meta"])
        self.assertEqual({"lr": 1}, self.record("one")["meta"])


if __name__ == "__main__":
    unittest.main()

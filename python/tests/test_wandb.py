"""`import lossless as wandb`: scripts written for W&B run, and are told what is not recorded."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from service import WithService


class Wandb(WithService):
    def script(self, text: str, *flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs it in a directory of its own."""
        environment = self.service.environment(spool=self._testMethodName, **variables)
        with tempfile.TemporaryDirectory() as directory:
            result = subprocess.run(
                [sys.executable, *flags, "-c", textwrap.dedent(text)],
                env=environment,
                cwd=directory,
                capture_output=True,
                text=True,
                timeout=120,
            )
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def record(self, slug: str) -> dict[str, object]:
        found: dict[str, object] = self.service.query("query.experiment", experimentSlug=slug)
        return found

    # ---- several recordings

    def test_a_second_init_leaves_the_first_recording(self) -> None:
        """Both recordings continue, each with its log; the module's functions use the second."""
        result = self.script(
            """
            import lossless
            train, val = lossless.init("two", id="train"), lossless.init("two", id="val")
            for step in range(100):
                train.log({"loss": 1.0 * step}, step=step)
                val.log({"loss": 2.0 * step}, step=step)
            assert lossless.run is val
            lossless.log({"last": 1})
            train.finish()
            assert lossless.run is val
            lossless.finish()
            """,
            "-W",
            "error",
        )
        for name, factor in (("train", 1.0), ("val", 2.0)):
            self.assertIn(f"recording two/{name} at {self.service.url}/go?slug=two/{name}\n", result.stderr)
            points = self.service.points(f"two/{name}")
            self.assertEqual([(step, factor * step, {}) for step in range(100)], points["loss"])
        # The call belongs to the step before, which was not committed.
        self.assertEqual([(99, 1, {})], self.service.points("two/val")["last"])

    def test_reinit_finishes_the_previous_one(self) -> None:
        """The first ends before the next begins: the same id continues, and is not done."""
        result = self.script(
            """
            import lossless as wandb
            wandb.init(project="again", id="a", reinit="create_new")
            wandb.log({"x": 1})
            wandb.init(project="again", id="a", reinit=True, resume="allow")
            wandb.log({"x": 2}, step=1)
            wandb.init(project="again", id="b", reinit="finish_previous")
            print(wandb.Reader().experiment("again/a")["status"], wandb.run.slug)
            wandb.finish()
            """,
            "-W",
            "error",
        )
        self.assertEqual("done again/b\n", result.stdout)
        self.assertEqual(3, result.stderr.count("stored"), "each one tells what became of it")
        self.assertEqual([(0, 1, {}), (1, 2, {})], self.service.points("again/a")["x"])

    def test_in_a_notebook_the_previous_one_is_finished(self) -> None:
        result = self.script(
            """
            import sys, types
            Shell = type("ZMQInteractiveShell", (), {"__module__": "ipykernel.zmqshell"})
            sys.modules["ipykernel"] = types.ModuleType("ipykernel")
            sys.modules["IPython"] = types.SimpleNamespace(get_ipython=Shell)
            import lossless
            first = lossless.init("cells", id="one")
            lossless.init("cells", id="two")
            assert first.is_finished
            lossless.finish()
            """
        )
        self.assertEqual(2, result.stderr.count(" stored in cells/"))

    # ---- names

    def test_a_made_up_name_is_told_and_good_in_file_names(self) -> None:
        result = self.script(
            """
            import lossless as wandb, os
            run = wandb.init(project="made-up/deep")
            wandb.log({"x": 1.0})
            open(f"ckpt_{run.id}.pt", "w").close()
            open(os.path.join(wandb.run.dir, "model.pt"), "w").close()
            wandb.finish()
            assert os.path.exists(os.path.join(run.dir, "model.pt")), "what is sent is removed, and this is not sent"
            print(run.id, run.slug, run.project, run.name, run.path, run.url, run.get_project_url())
            """
        )
        id, slug, project, name, path, url, project_url = result.stdout.split()
        self.assertEqual((f"made-up/deep/{id}", "made-up/deep", id, slug), (slug, project, name, path))
        page = f"{self.service.url}/go?slug={slug}"
        self.assertEqual(page, url)
        self.assertEqual(f"{self.service.url}/experiments?q=slug%20~%20%22made-up/deep/%2A%22", project_url)
        self.assertIn(f"lossless: recording {slug} at {page}\n", result.stderr)
        self.assertIn(f"1 point stored in {slug} at {page}\n", result.stderr)
        self.assertEqual([(0, 1.0, {})], self.service.points(slug)["x"])

    def test_an_id_finds_the_same_experiment_and_the_name_is_what_it_is_shown_as(self) -> None:
        self.script(
            """
            import lossless as wandb
            id = wandb.util.generate_id()
            first = wandb.init(project="ids", id=id, name="shown/so", notes=5)
            wandb.log({"x": 1})
            wandb.finish()
            assert (first.id, first.name, first.slug) == (id, "shown/so", f"ids/{id}")
            again = wandb.init(project="ids", id=first.id, resume="must")
            wandb.log({"x": 2}, step=1)
            wandb.finish()
            reader = wandb.Reader()
            assert again.slug == first.slug
            assert list(reader.series(again.slug, "x").value) == [1, 2]
            record = reader.experiment(again.slug)
            assert (record["meta"], record["description"]) == ({"_name": "shown/so"}, "5"), record
            """
        )

    def test_names_notes_and_tags_are_recorded_when_they_are_set(self) -> None:
        result = self.script(
            """
            import lossless as wandb
            wandb.config.update({"lr": 0.1, "seed": 1})
            wandb.config.epochs = 3
            run = wandb.init(project="p", id="named", tags=["a"], group="g", config={"lr": 0.5})
            assert (run.tags, run.group, run.job_type, run.notes, run.name) == (("a",), "g", "", "", "named")
            run.tags += ("b",)
            wandb.run.name = "shown like this"
            run.notes = "what was tried"
            run.job_type = "train"
            assert (run.name, run.id, run.slug) == ("shown like this", "named", "p/named")
            wandb.finish()
            run.notes = "too late"
            """
        )
        record = self.record("p/named")
        self.assertEqual("what was tried", record["description"])
        meta = {"lr": 0.5, "seed": 1, "epochs": 3, "_tags": ["a", "b"], "_group": "g", "_job_type": "train"}
        self.assertEqual({**meta, "_name": "shown like this"}, record["meta"])
        self.assertIn("before init(): kept", result.stderr)
        self.assertIn("notes set after finish(): not recorded", result.stderr)

    # ---- what is not here

    def test_media_are_passed_around_and_told_once(self) -> None:
        result = self.script(
            """
            import copy, json, pickle, warnings
            warnings.simplefilter("always")
            import lossless as wandb
            from typing import Optional

            class Shot(wandb.Image):
                def __init__(self, data):
                    super().__init__(data, caption="c")

            def show(image: wandb.Image | None, more: Optional[wandb.Table] = None) -> list[wandb.Image]: ...

            run = wandb.init(id="media")
            image = wandb.Image([[0]])
            assert isinstance(image, wandb.Image) and isinstance(image, wandb.data_types.Image)
            assert isinstance(Shot(1), (wandb.Table, wandb.Image)) and not isinstance(image, wandb.Table)
            assert isinstance(pickle.loads(pickle.dumps(image)), wandb.Image)
            for step in range(50):
                table = wandb.Table(columns=["a"], data=[[step]])
                table.add_data(1)
                assert len(table.data) == 2 and list(table.iterrows()) == [(0, [step]), (1, [1])]
                wandb.log({
                    "loss": 1.0, "image": image, "shots": [image], "table": table, "html": wandb.Html("<b>"),
                    "hist": wandb.Histogram([1]), "plot": wandb.plot.line(table, "a", "b"),
                    "deep": {"curve": wandb.plot.roc_curve([0], [0.1])},
                })
            run.config.image = image
            wandb.finish()
            """
        )
        self.assertEqual(50, len(self.service.points("media")["loss"]))
        warned = [line for line in result.stderr.splitlines() if "RuntimeWarning: lossless" in line]
        self.assertEqual(sorted(set(warned)), sorted(warned))
        self.assertLess(len(warned), 15, result.stderr)

    def test_every_name_of_the_module_and_of_a_run(self) -> None:
        """Nothing of W&B raises, even with warnings as errors; what is used and absent is told."""
        result = self.script(
            """
            import lossless as wandb, os
            assert wandb.login(key="x", relogin=True) is True and wandb.login() is True
            wandb.setup(); wandb.require("core"); wandb.ensure_configured()
            run = wandb.init(project="all", id="names", entity="me", resume="allow", save_code=False, force=True,
                             settings=wandb.Settings(start_method="fork"), sync_tensorboard=True, reinit=False)
            assert isinstance(run, wandb.Run) and isinstance(run, wandb.sdk.wandb_run.Run)
            assert len(wandb.util.generate_id()) == 8 and len(wandb.sdk.lib.runid.generate_id()) == 8
            assert issubclass(wandb.errors.CommError, wandb.Error) and wandb.errors.CommError is wandb.CommError
            for kind in (wandb.Error, wandb.CommError, wandb.UsageError, wandb.errors.AuthenticationError):
                try:
                    raise kind("x")
                except wandb.errors.Error as error:
                    assert str(error) == "x"
            assert wandb.__version__[0].isdigit()
            wandb.termlog("t"); wandb.termwarn("t"); wandb.termerror("t")
            assert wandb.define_metric("epoch", summary="min").name == run.define_metric("epoch").name == "epoch"
            for each in (run.project, run.entity, run.group, run.job_type, run.path, run.url, run.mode, run.project_name()):
                assert isinstance(each, str)
            assert (run.resumed, run.offline, run.disabled, run.sweep_id) == (False, False, False, None)
            assert isinstance(run.start_time, float)
            # Transformers and its like say who they are.
            assert run._label(code="transformers_trainer") is None
            run.status().x; run.settings.x; run.log_code("."); run.watch(1); run.save("*.pt", base_path="."); run.to_html()
            art = wandb.Artifact("m", type="model"); art.metadata["k"] = 1
            with art.new_file("x") as file:
                file.write("y")
            run.log_artifact(art, aliases=["latest"]).wait()
            os.path.join(run.use_artifact("m:latest").download(), "x"); f"{art.name}:latest"; art.name + ":latest"
            api = wandb.Api()
            assert [each for each in api.runs("a/b")] == [] and len(api.runs("a/b")) == 0
            api.from_path("x"); art.ttl; run.use_artifact("m").logged_by()
            wandb.data_types; wandb.env.get_project(); wandb.keras.WandbCallback(); wandb.integration.x; wandb.Classes([])
            wandb.tensorboard.patch(root_logdir="x"); wandb.plot_table("v", None, {}); wandb.log_model("a"); wandb.link_model
            wandb.alert("t", "x", level=wandb.AlertLevel.WARN)
            run.log({"a": 1}, sync=True)
            wandb.log(data={"b": 2}, steps=5)
            wandb.join()
            """,
            "-W",
            "error",
        )
        self.assertEqual(([(0, 1, {})], [(1, 2, {})]), tuple(self.service.points("all/names")[each] for each in "ab"))
        [alert] = [note for note in self.service.annotations("all/names") if note["meta"]["kind"] == "alert"]
        self.assertEqual(("t: x", {"kind": "alert", "level": "WARN"}), (alert["annotation"], alert["meta"]))
        for what in ("Api.from_path has", "init(entity=…)", "log(steps=…)"):
            self.assertEqual(1, result.stderr.count(f"lossless: {what}"), what)
        for what in ("init(resume=", "init(save_code=", "init(force=", "init(reinit=", "log(sync="):
            self.assertNotIn(what, result.stderr)

    def test_what_names_a_run_may_be_of_any_kind(self) -> None:
        self.script(
            """
            import lossless
            run = lossless.init(5, id="kinds", tags=7, group=3, job_type=4, mode="offline")
            assert (run.slug, run.tags, run.group, run.job_type) == ("5/kinds", ("7",), "3", "4")
            run.finish()
            run = lossless.init(5, id="zero", group=0, job_type=0, mode="offline")
            assert (run.group, run.job_type) == ("0", "0")
            run.tags = 8
            assert run.tags == ("8",)
            run.tags = None
            assert run.tags == ()
            """
        )

    def test_a_grid_is_gone_through(self) -> None:
        """Chosen values stay, whatever the script sets; a failing run does not end the sweep."""
        result = self.script(
            """
            import lossless as wandb
            seen = []
            def train():
                run = wandb.init(config={"lr": 5, "own": 1})
                wandb.config.update({"lr": 7, "more": 2})
                run.config.lr = 8
                seen.append((run.config.lr, run.config["net"]["depth"], run.config.own, run.config.more))
                run.log({"loss": run.config.lr})
                if run.config.lr == 2:
                    raise ValueError("of the training")
            parameters = {"lr": {"values": [1, 2]}, "net": {"parameters": {"depth": {"min": 3, "max": 4}}}}
            wandb.init(project="before", reinit="create_new")
            sweep_id = wandb.sweep({"method": "grid", "parameters": parameters}, project="grid")
            wandb.agent(f"team/grid/{sweep_id}", train)
            assert seen == [(1, 3, 1, 2), (1, 4, 1, 2), (2, 3, 1, 2), (2, 4, 1, 2)], seen
            runs = wandb.Api().runs("grid", {"group": sweep_id})
            assert sorted((run.state, run.summary["loss"], run.config["lr"]) for run in runs) == [
                ("failed", 2, 2), ("failed", 2, 2), ("finished", 1, 1), ("finished", 1, 1)
            ], [run.state for run in runs]
            assert wandb.init(project="after").sweep_id is None
            """
        )
        self.assertEqual(1, result.stderr.count("config.lr keeps the sweep's value, 1"))
        self.assertIn("ValueError: of the training", result.stderr)

    def test_agents_of_a_sweep_share_its_values_and_end_its_runs_alone(self) -> None:
        result = self.script(
            """
            import lossless as wandb
            own = wandb.init(project="own", id="run")
            sweep_id = wandb.sweep({"method": "grid", "parameters": {
                "layers": {"values": [[1], [2], [3]]}, "lr": {"values": [0.1]}}}, project="shared")
            seen, runs = [], []
            def train():
                run = wandb.init(reinit="create_new")
                runs.append(run)
                seen.append(list(run.config.layers))
                run.config["layers"].append(9)
                if len(seen) == 2:
                    raise ValueError
            wandb.agent(sweep_id, train, count=2)
            wandb.agent(sweep_id, train)
            wandb.agent(sweep_id, train)
            assert seen == [[1], [2], [3]], seen
            assert all(run.is_finished for run in runs) and len({run.slug for run in runs}) == 3
            assert [run.group for run in runs] == ["of-job"] * 3
            assert not own.is_finished and wandb.run is own
            def fail():
                raise ValueError
            capped = wandb.sweep({"method": "random", "run_cap": 3, "parameters": {"x": {"values": [1]}}})
            calls = []
            for _ in range(3):
                wandb.agent(capped, lambda: calls.append(1), count=2)
            assert len(calls) == 3
            wandb.agent(wandb.sweep({"parameters": {"x": {"values": [1]}}}), fail, count=1)
            assert not own.is_finished
            """,
            WANDB_RUN_ID="one-id",
            LOSSLESS_RUN_ID="one-id",
            WANDB_RUN_GROUP="of-job",
        )
        self.assertEqual(2, result.stderr.count("has no choices left"))

    def test_a_sweep_that_nobody_can_choose_from_trains_nothing(self) -> None:
        result = self.script(
            """
            import lossless as wandb
            def train():
                raise AssertionError("called")
            for parameters in ({"x": 1}, {"x": {"min": 0.1, "max": 1}}, {"x": {"values": []}}, {"x": {"min": 1}}, None):
                wandb.agent(wandb.sweep({"method": "grid", "parameters": parameters} if parameters else None), train)
            wandb.agent("of-another-process", function=train, count=4)
            calls = []
            wandb.agent(wandb.sweep({"method": "random", "parameters": {}}), lambda: calls.append(1))
            assert len(calls) == 5
            """
        )
        self.assertEqual(6, result.stderr.count("NOTHING WAS TRAINED"))
        self.assertIn("cannot be understood, and agent() will call nothing: the parameter x", result.stderr)
        self.assertIn("has not seen the values of the sweep", result.stderr)

    def test_values_are_drawn_as_their_distributions_say(self) -> None:
        self.script(
            """
            import itertools
            from lossless._wandb.sweeps import Sweep
            drawn = {
                "whole": ({"min": 1, "max": 3}, lambda x: x in (1, 2, 3)),
                "real": ({"min": 1.0, "max": 3}, lambda x: 1 <= x <= 3 and x != round(x)),
                "log": ({"distribution": "log_uniform_values", "min": 1e-5, "max": 1e-1}, lambda x: 1e-5 <= x <= 0.1),
                "exponent": ({"distribution": "log_uniform", "min": 0, "max": 1}, lambda x: 1 <= x <= 2.72),
                "eights": ({"distribution": "q_uniform", "min": 8, "max": 64, "q": 8}, lambda x: x % 8 == 0),
                "weighed": ({"values": ["a", "b"], "probabilities": [0, 1]}, lambda x: x == "b"),
                "normal": ({"distribution": "normal", "mu": 100, "sigma": 1}, lambda x: 50 < x < 150),
                "one": ({"value": None}, lambda x: x is None),
            }
            made = Sweep({"method": "bayes", "parameters": {name: said for name, (said, _) in drawn.items()}}, None)
            for values in itertools.islice(made.choices(), 200):
                for name, (_, is_fit) in drawn.items():
                    assert is_fit(values[name]), (name, values)
            """
        )

    def test_disabled_has_the_same_names(self) -> None:
        result = self.script(
            """
            import os
            import lossless as wandb
            wandb.config.lr = 1
            run = wandb.init(project="p", mode="disabled", config={"x": 2})
            run.name = run.notes = "n"; run.tags += ("a",)
            assert (run.name, run.tags, dict(wandb.config)) == ("n", ("a",), {"x": 2, "lr": 1})
            assert run.disabled and len(run.id) == 8 and os.path.isdir(run.dir) and not run.is_finished
            run.log({"a": 1}); run.watch(1); run.log_artifact("x").wait(); run.define_metric("a").name
            with run: pass
            assert run.is_finished and wandb.run is None
            os.rmdir(run.dir)
            """
        )
        self.assertNotIn("lossless: recording", result.stderr)

    # ---- config

    def test_configs_are_copied_and_read_from_files(self) -> None:
        result = self.script(
            """
            import copy, json, pickle
            import lossless as wandb
            with open("config.yaml", "w") as file:
                json.dump({"wandb_version": 1, "lr": {"desc": None, "value": 0.5}, "model": {"layers": [1]}}, file)
            run = wandb.init(id="configs", config="config.yaml")
            for copied in (copy.copy(run.config), copy.deepcopy(run.config), pickle.loads(pickle.dumps(run.config))):
                assert copied == run.config and copied.model["layers"] == [1]
                copied.lr = 7
            copied.model["layers"].append(2)
            print(json.dumps(run.config.as_dict()))
            wandb.finish()
            wandb.init(id="configs-2", config="absent.yaml")
            wandb.config.update(5)
            wandb.finish()
            """
        )
        self.assertEqual({"lr": 0.5, "model": {"layers": [1]}}, json.loads(result.stdout))
        self.assertEqual({"lr": 0.5, "model": {"layers": [1]}}, self.record("configs")["meta"])
        self.assertIn("absent.yaml' cannot be read", result.stderr)
        self.assertIn("int is ignored", result.stderr)

    # ---- where it is told

    def test_a_warning_names_the_line_of_the_script(self) -> None:
        result = self.script("import lossless\n\nlossless.log({})\nlossless.Graph(1)\nlossless.Molecule(1)")
        for line, what in ((3, "log() before"), (4, "Graph has"), (5, "Molecule has")):
            self.assertIn(f"<string>:{line}: RuntimeWarning: lossless: {what}", result.stderr)


class Command(unittest.TestCase):
    def command(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        source = Path(__file__).resolve().parents[1] / "src"
        environment = {**os.environ, "PYTHONPATH": str(source), **variables}
        return subprocess.run(
            [sys.executable, "-m", "lossless", *words], env=environment, capture_output=True, text=True, timeout=60
        )

    def test_a_command_of_the_service_says_where_it_is(self) -> None:
        with tempfile.TemporaryDirectory() as empty:
            result = self.command("login", PATH=empty)
            self.assertEqual(2, result.returncode)
            self.assertIn("npx lossless login", result.stderr)
            self.assertIn("LOSSLESS_API_KEY", result.stderr)
            self.assertIn("login", self.command("--help", PATH=empty).stdout)

    def test_a_command_of_the_service_is_handed_over(self) -> None:
        """An activated environment may put this package's `lossless` before the other one."""
        with tempfile.TemporaryDirectory() as directory:
            first, second = Path(directory) / "venv", Path(directory) / "node"
            for place, text in (
                (first, f"#!{sys.executable}\nraise SystemExit(9)"),
                (second, '#!/bin/sh\necho "$@"; exit 3'),
            ):
                place.mkdir()
                (place / "lossless").write_text(text)
                (place / "lossless").chmod(stat.S_IRWXU)
            path = f"{first}{os.pathsep}{second}{os.pathsep}{os.environ['PATH']}"
            for words in (("login", "--device"), ("import", "runs.ndjson"), ("people", "list")):
                result = self.command(*words, PATH=path)
                self.assertEqual((3, " ".join(words) + "\n"), (result.returncode, result.stdout), result.stderr)
            self.assertEqual(2, self.command("login", PATH=path, LOSSLESS_HANDED_OVER="1").returncode)
            self.assertNotEqual(
                3, self.command("import", "tensorboard", str(directory), "--help", PATH=path).returncode
            )


if __name__ == "__main__":
    unittest.main()

"""W&B's artifacts and Api are those of the service: versions are found by name and alias."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from scripts import Scripts


class WandbArtifacts(Scripts):
    def test_what_is_logged_is_downloaded_again(self) -> None:
        result = self.good_file(
            """
            import json, os, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            told = {}
            with wandb.init(project="art", id="make", job_type="make-data") as run:
                os.makedirs("raw/deep"); open("raw/deep/b.txt", "w").write("b"); open("one.txt", "w").write("first")
                data = wandb.Artifact("numbers", type="dataset", description="ten", metadata={"count": 10})
                assert data.is_draft() and data.version is None and isinstance(data, wandb.Artifact)
                data.add_file("one.txt"); data.add_dir("raw", name="raw"); data.add_file("one.txt", name="again/one.txt")
                entries = data.manifest.entries
                assert sorted(entries) == ["again/one.txt", "one.txt", "raw/deep/b.txt"], entries
                assert entries["one.txt"].size == 5 and data.get_entry("raw/deep/b.txt").path == "raw/deep/b.txt"
                for add in (data.add_file, data.add_dir):
                    try:
                        add("absent.txt")
                    except ValueError as error:
                        assert "'absent.txt'" in str(error), error
                    else:
                        raise AssertionError(add)
                with data.new_file("extra.json") as file:
                    file.write("{}")
                open("one.txt", "w").write("the script's own by now")
                logged = run.log_artifact(data, aliases=["latest", "best", "not an alias"])
                assert logged.wait() is data and (data.version, data.name) == ("v0", "numbers:v0"), data
                # Equal content makes no new version; other content does.
                for count, version in ((10, "v0"), (11, "v1")):
                    equal = wandb.Artifact("numbers", type="dataset", description="ten", metadata={"count": count})
                    for name, text in (("one.txt", "first"), ("again/one.txt", "first"), ("raw/deep/b.txt", "b"), ("extra.json", "{}")):
                        with equal.new_file(name) as file: file.write(text)
                    assert wandb.log_artifact(equal).wait().version == version, (equal.version, version)
                run.link_artifact(data, "registry/model", aliases=["staging"])
                open("model.bin", "wb").write(b"model")
                told["model"] = run.log_model("model.bin", name="net", aliases=["prod"]).wait().id
                assert run.log_artifact("absent.txt", name="lost").wait().version is None
                os.makedirs(os.path.join(run.dir, "deep")); open(os.path.join(run.dir, "deep", "own.txt"), "w").write("own")
                remote = wandb.Artifact("remote", type="x"); remote.add_reference("s3://bucket/key"); run.log_artifact(remote).wait()
                wandb.save("raw/deep/*.txt", base_path="raw"); run.save("model.bin", policy="end")
            assert run.report.unsaved == 2, run.report
            with wandb.init(project="art", id="use") as run:
                used = run.use_artifact("numbers:best")
                assert (used.version, used.type, used.metadata) == ("v0", "dataset", {"count": 10})
                assert run.use_artifact(used, use_as="training") is used
                directory = used.download()
                assert directory == os.path.join("artifacts", "numbers:v0"), directory
                assert used.download() == directory and sorted(os.listdir(directory)) == ["again", "extra.json", "one.txt", "raw"]
                assert open(os.path.join(directory, "one.txt")).read() == "first"
                os.makedirs("mine"); open("mine/own.txt", "w").write("own")
                assert used.get_path("raw/deep/b.txt").download(root="mine") == "mine/raw/deep/b.txt"
                assert open("mine/own.txt").read() == "own" and open("mine/raw/deep/b.txt").read() == "b"
                assert run.use_artifact("me/art/numbers:v1").version == run.use_artifact("numbers").version == "v1"
                for linked in ("registry/model:staging", "wandb-registry-model/model:v0", "model:latest"):
                    one = run.use_artifact(linked)
                    assert (one.id, one.version) == ("art/numbers:000000000000", "v0"), (linked, one.id)
                assert run.use_artifact("art/numbers:000000000001").version == "v1"
                for said, version in (("best", "000000000000"), ("v1", "000000000001"), ("latest", "000000000001")):
                    assert wandb.load_artifact("art/numbers", said, said).version == version, said
                wandb.load_artifact("art/numbers", "as role", role="loaded")
                assert open(run.use_model("net:prod")).read() == "model"
                assert open(run.use_artifact("net:v0").file()).read() == "model"
                for name in ("numbers:v7", "numbers:none", "nothing:latest"):
                    try:
                        run.use_artifact(name)
                    except wandb.Error as error:
                        assert name.partition(":")[0] in str(error)
                        assert ("its latest is v1" in str(error)) == name.startswith("numbers"), error
                    else:
                        raise AssertionError(name)
                files = wandb.Api().artifact("art/make/files").download()
                told["files"] = sorted(os.listdir(files)) + sorted(os.listdir(os.path.join(files, "deep")))
            api = wandb.Api()
            assert [each.version for each in api.artifacts("dataset", "me/art/numbers")] == ["v1", "v0"]
            both = [(each.version, each.aliases) for each in api.artifacts("dataset", "art/numbers")]
            assert both == [("v1", ["latest"]), ("v0", ["best"])], both
            assert api.artifact("art/numbers:v1").aliases == [] and api.artifact("art/numbers:best").aliases == ["best"]
            logged = [each.id for each in api.run("art/make").logged_artifacts()]
            assert "art/numbers:000000000001" in logged and len(logged) == len(set(logged)) == 4, logged
            assert logged.index("art/numbers:000000000000") < logged.index("art/numbers:000000000001"), logged
            for ask in (lambda: wandb.load_artifact("art/numbers", "elsewhere"), lambda: wandb.Api().artifact("art/numbers")):
                os.environ["LOSSLESS_URL"] += "/elsewhere"
                try:
                    ask()
                except wandb.Error as error:
                    assert "LOSSLESS_URL" in str(error), error
                else:
                    raise AssertionError("found")
                os.environ["LOSSLESS_URL"] = os.environ["LOSSLESS_URL"].removesuffix("/elsewhere")
            assert [each.type for each in api.run("art/use").used_artifacts()][:1] == ["dataset"]
            numbers = api.artifact("art/numbers:v0")
            assert numbers.logged_by().slug == "art/make" and [each.slug for each in numbers.used_by()] == ["art/use"]
            api.run("art/make").use_artifact(numbers, use_as="again")
            assert sorted(each.slug for each in numbers.used_by()) == ["art/make", "art/use"]
            print(json.dumps(told))
            """
        )
        self.assertEqual(
            {"model": "art/net:000000000000", "files": ["deep", "model.bin", "b.txt", "own.txt"]},
            json.loads(result.stdout),
        )
        self.assertIn("'not an alias' is not an alias", result.stderr)
        self.assertRegex(result.stderr, r"lost.*log_artifact\('.*absent.txt'\) failed")
        self.assertIn("references are not supported", result.stderr)
        notes = [note["meta"] for note in self.service.annotations("art/make") if note["meta"]["kind"] == "artifact"]
        self.assertEqual(
            {("art/numbers", "v0"), ("art/numbers", "v1"), ("art/net", "v0"), ("art/make/files", "v0")},
            {(note["artifact"], f"v{int(note['version'])}") for note in notes},
        )
        lineage = self.service.lineage("art/use")
        used = [
            (each["node"]["name"], each["node"]["version"], each["role"], each["named"]) for each in lineage["inputs"]
        ]
        numbers = [(0, "", "best"), (0, "training", ""), (1, "", "v1"), (1, "loaded", "latest")]
        self.assertEqual(
            [("art/numbers", f"{version:012}", role, named) for version, role, named in numbers],
            sorted(each for each in used if each[0] == "art/numbers"),
        )
        self.assertEqual({"art/numbers", "art/net"}, {each[0] for each in used})
        notes = [
            note["meta"] for note in self.service.annotations("art/use") if note["meta"]["kind"] == "artifact-used"
        ]
        self.assertEqual(len(used), len(notes))

    def test_digests_are_of_the_content_and_what_is_ignored_is_told(self) -> None:
        result = self.script(
            """
            import datetime, hashlib, os, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            def made(name, many, **others):
                artifact = wandb.Artifact(name, type="dataset", **others)
                for number in reversed(range(many)):
                    with artifact.new_file(f"deep/{number}.txt") as file: file.write(str(number))
                return artifact
            assert wandb.Artifact("empty").file_count == 0 and wandb.Artifact("empty").digest == hashlib.sha256().hexdigest()
            digests = set()
            with wandb.init(project="sums", id="one") as run:
                # The last one has its checksums in a file of their own.
                for many in (1, 20, 1_000):
                    artifact = made("numbers", many)
                    own = hashlib.sha256(b"0").hexdigest()
                    assert artifact.file_count == many and artifact.get_entry("deep/0.txt").digest == own
                    before = artifact.digest
                    assert before == artifact.manifest.digest() == made("other", many).digest
                    run.log_artifact(artifact).wait()
                    used = run.use_artifact("numbers")
                    unread = made("unread", many)
                    run.log_artifact(unread).wait()
                    for each in (artifact, used, unread):
                        assert each.file_count == many and each.digest == before, (many, each)
                    assert artifact.get_entry("deep/0.txt").digest == unread.get_entry("deep/0.txt").digest == own
                    entries = used.manifest.entries
                    assert used.get_entry("deep/0.txt").digest == entries["deep/0.txt"].digest == own
                    assert len({each.digest for each in entries.values()}) == many
                    # A file with the right checksum is not fetched again.
                    root = used.download("there")
                    os.utime(f"{root}/deep/0.txt", (0, 0))
                    assert run.use_artifact("numbers").download("there") == root
                    assert os.stat(f"{root}/deep/0.txt").st_mtime == 0, many
                    digests.add(before)
                changed = made("numbers", 2)
                digests.add(changed.digest)
                with changed.new_file("deep/1.txt") as file: file.write("other")
                digests.add(changed.digest)
                changed.remove("deep/1.txt")
                assert changed.digest == made("numbers", 1).digest and len(digests) == 5
                changed.aliases, changed.metadata = ["best"], {"a": 1}
                changed.ttl = datetime.timedelta(days=30)
                changed.ttl = None
                made("numbers", 1, incremental=True)
                for policy in ("bogus", "", None, "LIVE"):
                    try:
                        run.save("*.txt", policy=policy)
                    except ValueError as error:
                        assert "live, now, end" in str(error), error
                    else:
                        raise AssertionError(policy)
                run.save("*.txt", policy="live")
            """
        )
        for told in ("Artifact.ttl has no counterpart", "Artifact(incremental=…) has no counterpart"):
            self.assertEqual(1, result.stderr.count(told), result.stderr)
        self.assertEqual(2, result.stderr.count("no counterpart"), result.stderr)

    def test_a_name_is_refused_when_it_is_given_or_found_again(self) -> None:
        result = self.good_file(
            """
            import os, tempfile
            os.chdir(tempfile.mkdtemp())
            import lossless as wandb
            names = ["a b", "größe", "a@b", "50%", "what?", "a#b", "a+b&c=d", "'q'", '"q"', "-x", ".x", "art/deep", "art/deep/er"]
            for name in ("best:1.pt", "plain.pt", "n" * 250):
                open(name, "w").write(name[:5])
            with wandb.init(project="art", id="names") as run:
                for bad in ("run:best", "a:", ":b", "c:/d", "", "a//b", "/a", "a/", "..", "a/./b", "a\\\\b", "a\\nb", "n" * 256, "\\udc80"):
                    for make in (lambda: wandb.Artifact(bad, type="model"), lambda: bad and run.log_artifact("plain.pt", name=bad)):
                        try:
                            made = make()
                        except ValueError as error:
                            assert "artifact name" in str(error), error
                        else:
                            assert made == bad == "", (bad, made)
                for name in names:
                    one = wandb.Artifact(name, type="model")
                    with one.new_file("f.txt") as file: file.write(name)
                    assert run.log_artifact(one).wait().version == "v0", name
                chosen = [run.log_artifact(path).wait().name for path in ("best:1.pt", "plain.pt", "n" * 250)]
                assert chosen[:2] == ["run-names-best_1.pt:v0", "run-names-plain.pt:v0"], chosen
                assert len(chosen[2]) == 255 + len(":v0"), chosen
                saved = wandb.save_artifact("plain.pt", "art/old:best", version="1")
                for asked in ("old:best", "old:best:latest", "art/old:best:1"):
                    assert open(run.use_artifact(asked).file()).read() == "plain", asked
                for name in names:
                    for asked in (name, f"{name}:latest", f"{name}:v0"):
                        assert open(run.use_artifact(asked).file()).read() == name, asked
                        assert wandb.Api(overrides={"project": "art"}).artifact(asked).version == "v0"
            with wandb.init(mode="disabled") as run:
                assert run.log_artifact("runs/a:b.pt").name == "a_b.pt"
            print("whole")
            """
        )
        self.assertEqual("whole", result.stdout.strip())

    def test_offline_its_files_are_kept(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            result = self.good_file(
                """
                import lossless as wandb
                run = wandb.init(project="art", id="offline", mode="offline")
                artifact = wandb.Artifact("kept", type="x")
                with artifact.new_file("a.txt") as file:
                    file.write("kept")
                run.log_artifact(artifact)
                run.finish()
                """,
                TMPDIR=directory,
            )
            self.assertIn(
                "the artifact art/kept was not saved: the recording is offline; its files are kept", result.stderr
            )
            self.assertIn("NOT SAVED: 1 checkpoint or artifact", result.stderr)
            [kept] = Path(directory).glob("lossless-unsaved-artifact-*")
            self.assertEqual("kept", (kept / "a.txt").read_text())

    def test_a_version_has_the_step_at_which_it_was_logged(self) -> None:
        self.good_file(
            """
            import lossless as wandb
            def log(text, **metadata):
                artifact = wandb.Artifact("steps", type="model", metadata=metadata)
                with artifact.new_file("a.txt") as file:
                    file.write(text)
                return run.log_artifact(artifact)
            run = wandb.init(project="art", id="steps")
            log("before")
            run.log({"loss": 1.0}, step=600)
            log("at")
            run.log({"loss": 0.5}, step=700)
            # Equal content is the same version, of the step before.
            log("at").wait()
            log("named", step=650)
            log("no step", step="last")
            run.log({"loss": 0.4})
            run.log({"loss": 0.3})
            log("counted")
            run.finish()
            assert run.report.unsaved == 0
            """
        )
        versions = sorted(self.service.versions("art/steps"), key=lambda each: str(each["version"]))
        self.assertEqual([None, 600, 650, 700, 701], [each["meta"].get("step") for each in versions])

    def test_what_was_logged_is_as_it_was_then(self) -> None:
        result = self.good_file(
            """
            import lossless as wandb
            run = wandb.init(project="art", id="late")
            artifact = wandb.Artifact("closed", type="x")
            with artifact.new_file("a.txt") as file:
                file.write("four")
            with artifact.new_file("../outside.txt") as file:
                file.write("nowhere")
            assert artifact.size == 4, artifact.size
            artifact = wandb.Artifact("closed", type="x")
            with artifact.new_file("a.txt") as file:
                file.write("four")
            run.log_artifact(artifact).wait()
            artifact.add_file(__file__)
            with artifact.new_file("b.txt") as file:
                file.write("late")
            artifact.remove("a.txt")
            assert (artifact.size, artifact.version, artifact.problem) == (4, "v0", None)
            used = run.use_artifact(artifact)
            used.add_file(__file__)
            assert [each.name for each in used.files()] == ["a.txt"]
            run.finish()
            assert run.report.unsaved == 0
            """
        )
        self.assertIn("was logged already: make another Artifact", result.stderr)

    def test_the_end_of_a_script_waits_once_for_nobody(self) -> None:
        """The service is away; each artifact would be tried for a minute, one after the other."""
        result = self.good_file(
            """
            import threading
            import lossless as wandb, lossless._saving.artifact_queue as queue
            tried, is_over = [], threading.Event()
            def save(self, job):
                tried.append(job.path)
                is_over.wait()
                raise queue.ConnectionFailed("nobody answers")
            queue.ArtifactQueue._save = save
            run = wandb.init(project="art", id="away", mode="offline")
            logged = []
            for number in range(3):
                artifact = wandb.Artifact(f"lost-{number}", type="x")
                with artifact.new_file("a.txt") as file:
                    file.write("kept")
                logged.append(run.log_artifact(artifact))
            run.finish(quiet=True, timeout=0)
            is_over.set()
            assert [each.wait().version for each in logged] == [None, None, None]
            assert tried == ["art/lost-0"], tried
            """
        )
        for number in range(3):
            self.assertIn(
                f"the artifact art/lost-{number} was not saved: nobody answers; its files are kept", result.stderr
            )

    def test_history_mixes_nothing(self) -> None:
        """Two recordings in one experiment, and metrics of the machine, whose steps are seconds."""
        self.good_file(
            """
            import time
            import lossless as wandb
            for number in range(2):
                run = wandb.init(project="rows", id="both")
                for step in range(3):
                    run.log({"loss": 10 * number + step, "größe": 1.0})
                while number and not any(run.directory.glob("system.log")):
                    time.sleep(0.05)
                run.finish()
                assert run.report.is_complete, run.report
            run = wandb.Api().run("rows/both")
            rows = run.history(pandas=False)
            assert [(row["_step"], row["loss"]) for row in rows] == [(0, 0), (0, 10), (1, 1), (1, 11), (2, 2), (2, 12)], rows
            assert all(row["gr%C3%B6%C3%9Fe"] == 1.0 for row in rows), rows
            assert len({row.get("recording") for row in rows}) == 2
            assert not any(name.startswith("system/") for row in rows for name in row)
            assert run.summary.keys() == {"loss", "gr%C3%B6%C3%9Fe"}, run.summary
            assert [row["loss"] for row in run.scan_history(["loss"], min_step=2)] == [2, 12]
            machine = run.history(pandas=False, stream="system")
            assert machine and all("loss" not in row for row in machine)
            """,
            LOSSLESS_SYSTEM="0.2",
        )

    def test_a_run_that_was_killed_and_resumed_is_not_crashed(self) -> None:
        text = """
            import os, signal
            import lossless as wandb
            run = wandb.init(project="killed", id="once", resume="allow")
            run.log({"loss": 1.0})
            """
        self.file(text + "os.kill(os.getpid(), signal.SIGKILL)")
        self.until(lambda: self.record("killed/once").get("status") == "error", "the sender has told it")
        found = "[run.state for run in wandb.Api().runs('killed', {'state': STATE})]"
        state = f"assert {found} == [STATE]\n"
        self.good_file("import lossless as wandb\n" + state.replace("STATE", "'crashed'"))
        self.good_file(text + "run.finish(); " + state.replace("STATE", "'finished'"))

    def test_the_summary_of_a_run_that_was_resumed_and_killed_is_of_its_last_values(self) -> None:
        self.good_file(
            """
            import lossless as wandb
            with wandb.init(project="killed", id="twice") as run:
                run.define_metric("best", summary="min")
                for step in range(3):
                    run.log({"loss": step, "only": step, "best": step}, step=step)
                run.summary["own"] = 1
            """
        )
        # The script is killed when its points are on the disk: the sender sends them.
        self.file(
            """
            import os, signal
            import lossless as wandb
            run = wandb.init(project="killed", id="twice", resume="must")
            run.log({"loss": 30.0, "later": 1.0})
            os.kill(os.getpid(), signal.SIGKILL)
            """
        )
        self.until(lambda: self.record("killed/twice").get("status") == "error", "the sender has told it")
        self.good_file(
            """
            import lossless as wandb
            found = dict(wandb.Api().run("killed/twice").summary)
            assert found == {"loss": 30.0, "only": 2.0, "best": {"min": 0.0}, "own": 1, "later": 1.0}, found
            """
        )

    def test_the_last_value_of_a_run_that_diverged_is_nan(self) -> None:
        self.good_file(
            """
            import math, time
            import lossless as wandb
            values = {"a": [2.0], "none": [], "nan": [3.0, math.nan], "b": [1.0], "inf": [0.5, math.inf]}
            for name, losses in values.items():
                run = wandb.init(project="apart", id=name, reinit="create_new")
                for step, loss in enumerate(losses, 1):
                    run.log({"loss": loss}, step=step)
                run.log({"_step": 100, "_timestamp": 5, "rank": 7, "other": 1}, step=0, meta={"rank": "0"})
                run.finish()
            api = wandb.Api()
            order = lambda sign: [run.id for run in api.runs("apart", order=f"{sign}summary_metrics.loss")]
            assert order("+") == ["b", "a", "inf", "nan", "none"], order("+")
            assert order("-") == ["a", "b", "inf", "nan", "none"], order("-")
            run = api.run("apart/nan")
            assert math.isnan(run.summary["loss"]), run.summary
            rows = list(run.scan_history())
            assert [row["_step"] for row in rows] == [0, 1, 2] and math.isnan(rows[2]["loss"]), rows
            assert [row["loss"] for row in run.scan_history(keys=["loss"])][0] == 3.0
            assert len(list(run.scan_history(keys=["loss"]))) == 2 and run.lastHistoryStep == 2
            first = rows[0]
            assert (first["_step"], first["metric._step"], first["metric._timestamp"]) == (0, 100, 5), first
            assert first["_timestamp"] > 1e9 and (first["rank"], first["meta.rank"]) == (7, "0"), first
            named = list(run.scan_history(keys=["_step", "metric._step"]))
            assert named == [{"_step": 0, "metric._step": 100}], named
            reader = wandb.Reader()
            while True:
                found = reader.experiments("slug ~ apart/* metric.loss", columns=["metric.loss"], sort="metric.loss")
                if len(found) == 4 and all(each["values"][0] != 3 and each["values"][0] != 0.5 for each in found):
                    break
                time.sleep(0.1)
            assert [str(each["columns"]["metric.loss"]) for each in found] == ["1", "2", "inf", "nan"], found
            compared = reader.difference(["apart/nan", "apart/a"]).metrics["loss"]
            assert math.isnan(compared[0]["last"]) and compared[1]["last"] == 2, compared
            """
        )

    def test_api_finds_runs_and_their_history(self) -> None:
        self.good_file(
            """
            import lossless as wandb
            for number in range(3):
                run = wandb.init(project="api", id=f"run-{number}", tags=["odd"] if number % 2 else [], config={"lr": 0.1 * number})
                for step in range(4):
                    run.log({"loss": 1.0 / (step + 1 + number), "acc": step} if step else {"loss": 9.0})
                run.summary["best"] = number
                run.finish(exit_code=1 if number == 2 else 0)
            api = wandb.Api(timeout=10)
            assert [run.id for run in api.runs("team/api")] == ["run-0", "run-1", "run-2"] and len(api.runs("nothing")) == 0
            for filters, expected in (
                ({"state": "finished"}, ["run-0", "run-1"]),
                ({"config.lr": {"$gt": 0.05}}, ["run-1", "run-2"]),
                ({"$or": [{"tags": "odd"}, {"config.lr.value": 0.0}]}, ["run-0", "run-1"]),
                ({"summary_metrics.best": {"$in": [2, 3]}}, ["run-2"]),
                ({"display_name": {"$regex": "^run-[01]"}, "tags": {"$nin": ["odd"]}}, ["run-0"]),
            ):
                assert [run.id for run in api.runs("api", filters=filters)] == expected, filters
            assert [run.id for run in api.runs("api", order="-summary_metrics.best")] == ["run-2", "run-1", "run-0"]
            for unknown in ({"$where": "x"}, {"config.lr": {"$near": 1}}, {"size": 1}):
                try:
                    api.runs("api", filters=unknown)
                except wandb.Error:
                    continue
                raise AssertionError(unknown)
            assert [run.id for run in wandb.Api(overrides={"project": "api"}).runs()] == ["run-0", "run-1", "run-2"]
            run = api.run("team/api/run-1")
            assert run.summary._json_dict == dict(run.summary) and run.url.endswith("/go?slug=api/run-1")
            assert (run.name, run.state, run.config, run.tags) == ("run-1", "finished", {"lr": 0.1}, ["odd"])
            assert run.summary["best"] == 1 and run.summary["loss"] == 0.2
            rows = run.history(pandas=False)
            assert [row["_step"] for row in rows] == [0, 1, 2, 3] and rows[0]["loss"] == 9.0 and "acc" not in rows[0]
            assert [row["acc"] for row in run.scan_history(keys=["acc", "loss"])] == [1.0, 2.0, 3.0]
            assert api.run("api/run-2").state == "failed"
            try:
                api.run("api/none")
            except wandb.errors.CommError:
                raise AssertionError("of that class nobody raises")
            except wandb.Error as error:
                assert "api/none" in str(error)
            """
        )


if __name__ == "__main__":
    unittest.main()

"""Source and environment of a run: what git, Python and the machine say is in its meta."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from scripts import Scripts

from lossless._console.secrets import masked_command, without_credentials
from lossless._ground.errors import SettingsError
from lossless._origin import machine
from lossless._origin.packages import packages
from lossless._origin.programs import Programs
from lossless._origin.repository import DIFF_BYTES_MAX, Repository
from lossless._origin.wanted import ENVIRONMENT_KINDS, SOURCE_KINDS, wanted_kinds
from lossless._values.origin import replaced_by, with_origin

_TOKEN = "ghp_" + "a" * 36
_NVIDIA_SMI = """#!/bin/sh
case "$*" in
*query*) printf 'NVIDIA H100 80GB HBM3, 570.86.15\\nNVIDIA H100 80GB HBM3, 570.86.15\\n' ;;
*) echo '| NVIDIA-SMI 570.86.15    Driver Version: 570.86.15    CUDA Version: 12.8 |' ;;
esac
"""


def git(directory: Path, *words: str) -> str:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    words = ("git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *words)
    return subprocess.run(
        words, cwd=directory, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def program(directory: Path, name: str, text: str) -> Path:
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text(text)
    path.chmod(0o700)
    return path


class WithRepository(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name).resolve()
        self.root = self.place / "vision"
        self.root.mkdir()

    def committed(self) -> str:
        git(self.root, "init")
        (self.root / "train.py").write_text("lr = 0.1\n")
        git(self.root, "add", ".")
        git(self.root, "commit", "-m", "first")
        return git(self.root, "rev-parse", "HEAD")

    def asked(self, directory: Path | None = None, seconds: float = 60.0) -> Repository:
        return Repository(Programs(seconds), directory or self.root)


class AskingGit(WithRepository):
    def test_a_clean_repository(self) -> None:
        commit = self.committed()
        (self.root / "untracked.txt").write_text("x")
        (self.root / "inner").mkdir()
        repository = self.asked(self.root / "inner")
        self.assertEqual({"commit": commit, "branch": "main", "isDirty": False}, repository.facts())
        self.assertEqual((self.root, None), (repository.root, repository.diff()))

    def test_a_changed_one(self) -> None:
        """Its own programs for differences are not run, and what looks like a key is masked."""
        self.committed()
        git(self.root, "config", "diff.external", "false")
        git(self.root, "config", "diff.noprefix", "true")
        (self.root / "train.py").write_text(f"lr = 0.2\nkey = '{_TOKEN}'\n")
        (self.root / "new.py").write_text("x = 1\n")
        git(self.root, "add", "new.py")
        self.assertIs(True, self.asked().facts()["isDirty"])
        found = self.asked(self.root).diff()
        assert found is not None
        text, is_cut = found[0].decode(), found[1]
        self.assertFalse(is_cut)
        self.assertIn("--- a/train.py\n+++ b/train.py\n@@ -1 +1,2 @@\n-lr = 0.1\n+lr = 0.2\n", text)
        self.assertIn("+++ b/new.py", text)
        self.assertIn("+key = '********'", text)

    def test_no_commit_and_a_detached_head(self) -> None:
        git(self.root, "init")
        self.assertEqual({"branch": "main"}, self.asked().facts())
        commit = self.committed()
        git(self.root, "checkout", "--detach")
        self.assertEqual({"commit": commit, "isDirty": False}, self.asked().facts())

    def test_a_submodule_that_changed(self) -> None:
        self.committed()
        git(self.place, "clone", str(self.root), "library")
        git(self.root, "submodule", "add", str(self.place / "library"), "library")
        git(self.root, "commit", "-m", "with it")
        self.assertIs(False, self.asked().facts()["isDirty"])
        (self.root / "library" / "note.txt").write_text("untracked")
        self.assertIs(False, self.asked().facts()["isDirty"])
        (self.root / "library" / "train.py").write_text("lr = 0.3\n")
        self.assertIs(True, self.asked().facts()["isDirty"])
        found = self.asked().diff()
        assert found is not None
        self.assertIn(b"+lr = 0.3", found[0])
        self.assertEqual(self.root / "library", self.asked(self.root / "library").root)

    def test_a_huge_difference_is_cut_at_a_line(self) -> None:
        self.committed()
        (self.root / "train.py").write_text("".join(f"x{number} = {number}\n" for number in range(200_000)))
        found = self.asked().diff()
        assert found is not None
        self.assertTrue(found[1])
        self.assertLessEqual(len(found[0]), DIFF_BYTES_MAX)
        self.assertGreater(len(found[0]), DIFF_BYTES_MAX - 100)
        self.assertTrue(found[0].endswith(b"\n"))

    def test_where_git_says_nothing(self) -> None:
        """There is no repository, or no git, or it refuses: its files are read instead."""
        self.assertEqual({}, self.asked().facts())
        commit = self.committed()
        git(self.root, "remote", "add", "origin", f"https://{_TOKEN}@github.com/acme/vision.git")
        git(self.root, "worktree", "add", "-b", "other", str(self.place / "tree"))
        expected = {"remote": "https://github.com/acme/vision.git", "commit": commit, "branch": "main"}
        (self.root / "inner").mkdir()
        (self.root / "train.py").write_text("changed")
        with mock.patch.dict(os.environ, PATH=str(self.place)):
            found = self.asked(self.root / "inner")
            self.assertEqual((expected, self.root, None), (found.facts(), found.root, found.diff()))
            program(self.place, "git", "#!/bin/sh\necho fatal: detected dubious ownership >&2\nexit 128\n")
            self.assertEqual(expected, self.asked().facts())
            self.assertEqual({**expected, "branch": "other"}, self.asked(self.place / "tree").facts())
        git(self.root, "pack-refs", "--all")
        with mock.patch.dict(os.environ, PATH=str(self.place)):
            self.assertEqual(expected, self.asked().facts())
        git(self.root, "checkout", "--detach")
        (self.root / ".git" / "config").write_bytes(b"\xff[remote\n url")
        with mock.patch.dict(os.environ, PATH=str(self.place)):
            self.assertEqual({"commit": commit}, self.asked().facts())

    def test_a_git_that_hangs_is_ended_with_its_children(self) -> None:
        stub = f"#!/bin/sh\nsleep 600 > /dev/null &\necho $! > {self.place}/child\nwait\n"
        path = f"{self.place}/bin:{os.environ['PATH']}"
        program(self.place / "bin", "git", stub)
        with mock.patch.dict(os.environ, PATH=path):
            self.assertEqual({}, self.asked(seconds=1.0).facts())
        child = int((self.place / "child").read_text())
        end = time.monotonic() + 60
        while is_running(child):
            self.assertLess(time.monotonic(), end, "the child of git goes on")
            time.sleep(0.01)

    def test_remotes_have_no_credentials(self) -> None:
        self.committed()
        git(self.root, "remote", "add", "backup", "git@github.com:acme/backup.git")
        self.assertEqual("git@github.com:acme/backup.git", self.asked().facts()["remote"])
        git(self.root, "remote", "add", "origin", f"https://ada:{_TOKEN}@github.com/acme/vision.git")
        self.assertEqual("https://github.com/acme/vision.git", self.asked().facts()["remote"])
        for address, kept in (
            ("https://token@host/x", "https://host/x"),
            ("https://a:b@c:d@host/x", "https://host/x"),
            ("ssh://git:secret@host:22/x", "ssh://git@host:22/x"),
            ("ssh://git@host/x", "ssh://git@host/x"),
            ("/srv/git/x.git", "/srv/git/x.git"),
            ("https://host/x?email=a@b", "https://host/x?email=a@b"),
            (f"https://host/{_TOKEN}/x", "https://host/********/x"),
        ):
            self.assertEqual(kept, without_credentials(address))


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return state[state.rindex(")") + 2] != "Z"


class Facts(unittest.TestCase):
    def test_switches(self) -> None:
        every = [*SOURCE_KINDS, *ENVIRONMENT_KINDS]

        def kinds(source: Any = None, environment: Any = None, **variables: str) -> list[str]:
            with mock.patch.dict(os.environ, variables, clear=True):
                return wanted_kinds(source, environment)

        self.assertEqual(every, kinds())
        self.assertEqual(every, kinds(True, "on", LOSSLESS_SOURCE="off"))
        self.assertEqual([], kinds("off", False))
        self.assertEqual([], kinds(LOSSLESS_SOURCE="off", LOSSLESS_ENVIRONMENT="no"))
        self.assertEqual(["git", "diff", "host", "gpus"], kinds("diff", "gpus, host"))
        self.assertEqual(["command", "packages"], kinds("-git", "packages"))
        self.assertNotIn("user", kinds(environment="-user"))
        self.assertEqual(len(every) - 1, len(kinds(environment="-user")))
        self.assertEqual(["command"], kinds(environment=False, WANDB_DISABLE_GIT="true"))
        self.assertEqual(["git", "command"], kinds(environment=False, WANDB_DISABLE_CODE="true"))
        self.assertEqual(["git", "diff", "command"], kinds("on", "off", WANDB_DISABLE_CODE="true"))
        for wrong in ("everything", "git,-diff", "user", 3):
            with self.assertRaises(SettingsError):
                kinds(wrong)

    def test_secrets_of_the_command_line(self) -> None:
        for words, text in (
            (["python", "train.py", "--lr", "0.1"], "python train.py --lr 0.1"),
            (["python", "a b.py", "--api-key", "0123456789"], "python 'a b.py' --api-key '********'"),
            (["x", "--hf_token=0123456789"], "x '--hf_token=********'"),
            (["x", "--max-tokens", "100000000"], "x --max-tokens 100000000"),
            (["x", "--token", "--verbose-output"], "x --token --verbose-output"),
            (["x", _TOKEN], "x '********'"),
        ):
            self.assertEqual(text, masked_command(words))

    def test_the_job_by_a_list_of_names(self) -> None:
        job = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NAME": "n" * 999, "SLURM_JWT": "secret", "LD_PRELOAD": "x"}
        pod = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "HOSTNAME": "train-0", "POD_NAMESPACE": "ml", "PASSWORD": "x"}
        found = machine.machine(["scheduler", "host", "user"], {**job, **pod, "WANDB_HOST": "h", "WANDB_USERNAME": "u"})
        self.assertEqual(
            {
                "host": "h",
                "user": "u",
                "slurm": {"jobId": "4711", "jobName": "n" * 256},
                "kubernetes": {"namespace": "ml", "pod": "train-0"},
            },
            found,
        )
        self.assertEqual({}, machine.machine(["scheduler"], {"HOSTNAME": "laptop"}))
        own = machine.machine(["system", "host"], {})
        self.assertTrue(own["cpus"] > 0 and own["memoryBytes"] > 2**20 and own["host"] and own["os"])

    def test_gpus(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            with mock.patch.dict(os.environ, PATH=f"{directory}:{os.environ['PATH']}"):
                program(Path(directory), "nvidia-smi", _NVIDIA_SMI)
                found = machine.gpus(Programs(60.0), is_cuda_known=False)
                expected = {"gpus": ["NVIDIA H100 80GB HBM3"], "gpuCount": 2, "driver": "570.86.15"}
                self.assertEqual({**expected, "cuda": "12.8"}, found)
                self.assertEqual(expected, machine.gpus(Programs(60.0), is_cuda_known=True))
                program(Path(directory), "nvidia-smi", "#!/bin/sh\nexit 9\n")
                self.assertEqual({}, machine.gpus(Programs(60.0), is_cuda_known=False))

    def test_packages_are_bounded(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for number in range(1_500):
                info = Path(directory) / f"package_{number:04d}-1.0.dist-info"
                info.mkdir()
                (info / "METADATA").write_text(
                    f"Metadata-Version: 2.1\nName: package-{number:04d}\nVersion: 1.{number}\n"
                )
            (Path(directory) / "broken-1.0.dist-info").mkdir()
            found = packages([directory, directory])
        kept = found["packages"]
        self.assertEqual("1.7", kept["package-0007"])
        self.assertEqual(1_500, len(kept) + found["packagesLeftOut"])
        self.assertLessEqual(len(json.dumps(kept, separators=(",", ":"))), 24 * 2**10)
        self.assertGreater(len(kept), 700)

    def test_a_large_config_costs_the_facts_and_not_the_other_way_round(self) -> None:
        origin = {"_source": {"commit": "a"}, "_environment": {"host": "h", "packages": {"p" * 99: "1"}}}
        self.assertEqual(["x", "_source", "_environment"], list(with_origin({"_source": 1, "x": 2}, origin)))
        for size, kept in ((65_450, {"host": "h", "packagesLeftOut": 1}), (65_490, None)):
            found = with_origin({"config": "c" * size}, origin)
            self.assertEqual(
                (size, {"commit": "a"}, kept), (len(found["config"]), found["_source"], found.get("_environment"))
            )
        self.assertEqual({"config": "c" * 65_520}, with_origin({"config": "c" * 65_520}, origin))

    def test_only_what_is_replaced_is_noted(self) -> None:
        before = {"_source": {"commit": "a", "branch": "main"}, "_environment": {"host": "h"}}
        after = {"_source": {"commit": "b", "branch": "main"}, "_environment": {"host": "h", "user": "u"}}
        self.assertEqual({"_source": {"commit": "a"}}, replaced_by(before, after))
        self.assertEqual({}, replaced_by({}, after))


class Recorded(Scripts, WithRepository):
    def setUp(self) -> None:
        WithRepository.setUp(self)
        self.slug = f"origin/{self._testMethodName[5:]}"

    def environment(self, **variables: str) -> dict[str, str]:
        named = {"LOSSLESS_SOURCE": "on", "LOSSLESS_ENVIRONMENT": "on", "GIT_CONFIG_GLOBAL": os.devnull}
        return super().environment(**{**named, **variables})

    def train(self, text: str = "", *words: str, directory: str = "", **variables: str) -> None:
        """Runs `train.py` of the repository, which stays as it is."""
        script = self.place / "script.txt"
        begin = f"import lossless\nrun = lossless.init(slug={self.slug!r}, config={{'lr': 0.1}}, resume='allow')\n"
        script.write_text(begin + (textwrap.dedent(text) or "run.finish(quiet=True)\n"))
        if not (self.root / "train.py").exists() or not (self.root / ".git").exists():
            (self.root / "train.py").write_text(_RUNNER)
        result = subprocess.run(
            [sys.executable, str(self.root / "train.py"), str(script), *words],
            cwd=self.root / directory,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertEqual(0, result.returncode, result.stderr)

    def committed(self) -> str:
        git(self.root, "init")
        (self.root / "train.py").write_text(_RUNNER)
        (self.root / "model.py").write_text("layers = 2\n")
        git(self.root, "add", ".")
        git(self.root, "commit", "-m", "first")
        return git(self.root, "rev-parse", "HEAD")

    def meta(self, is_there: Any = lambda meta: "_environment" in meta) -> dict[str, Any]:
        """The meta once it has what is sent after the end of the script."""
        end = time.monotonic() + 120
        while True:
            meta: dict[str, Any] = self.record(self.slug)["meta"]
            if is_there(meta):
                return meta
            self.assertLess(time.monotonic(), end, meta)
            time.sleep(0.05)

    def notes(self, kind: str) -> list[dict[str, Any]]:
        return [each["meta"] for each in self.service.annotations(self.slug) if each["meta"].get("kind") == kind]

    def until_sent(self) -> None:
        end = time.monotonic() + 120
        while self.spools():
            self.assertLess(time.monotonic(), end, [list(each.iterdir()) for each in self.spools()])
            time.sleep(0.05)

    def test_a_clean_commit(self) -> None:
        commit = self.committed()
        git(self.root, "remote", "add", "origin", f"https://{_TOKEN}@github.com/acme/vision.git")
        (self.root / "inner").mkdir()
        (self.root / "uv.lock").write_text("")
        self.train("", "--password", "open-sesame", directory="inner", SLURM_JOB_ID="7", SLURM_JWT="secret")
        meta = self.meta()
        self.assertEqual(["lr", "_source", "_environment"], list(meta))
        source = meta["_source"]
        self.assertTrue(source.pop("command").endswith("script.txt --password '********'"))
        self.assertEqual(
            {
                "remote": "https://github.com/acme/vision.git",
                "commit": commit,
                "branch": "main",
                "isDirty": False,
                "directory": "inner",
                "script": "train.py",
            },
            source,
        )
        environment = meta["_environment"]
        self.assertEqual(sys.version.split()[0], environment["python"])
        self.assertEqual(({"jobId": "7"}, "uv.lock"), (environment["slurm"], environment["lockFile"]))
        self.assertIn("packages", environment)
        self.assertLessEqual({"host", "os", "executable", "cpus", "memoryBytes", "manager"}, set(environment))
        self.until_sent()

    def test_a_diff_becomes_a_file(self) -> None:
        self.committed()
        (self.root / "model.py").write_text("layers = 3\n")
        self.train()
        diff = self.meta(lambda meta: "diff" in meta.get("_source", {}))["_source"]["diff"]
        self.assertEqual((f"{self.slug}/source", "000000000001", "changes.diff"), tuple(list(diff.values())[:3]))
        code = f"""
            import lossless
            files = lossless.load_artifact({diff["artifact"]!r}, {str(self.place / "loaded")!r})
            """
        self.script(code)
        content = (self.place / "loaded" / "changes.diff").read_bytes()
        self.assertEqual((len(content), True), (diff["bytes"], b"-layers = 2\n+layers = 3\n" in content))
        self.until_sent()

    def test_a_git_that_hangs_delays_nothing(self) -> None:
        """The script ends before git does, and another process sends the rest."""
        commit = self.committed()
        stub = (
            f"#!/bin/sh\necho $$ >> {self.place}/asked\nwhile [ ! -e {self.place}/go ]; do sleep 0.05; done\nexit 1\n"
        )
        program(self.place / "bin", "git", stub)
        self.train(PATH=f"{self.place}/bin:{os.environ['PATH']}")
        meta = self.record(self.slug)["meta"]
        self.assertEqual(("done", {"lr": 0.1}), (self.record(self.slug)["status"], meta))
        (self.place / "go").write_text("")
        source = self.meta()["_source"]
        self.assertEqual((commit, "train.py"), (source["commit"], source["script"]))
        self.assertNotIn("isDirty", source)
        self.until_sent()

    def test_switched_off(self) -> None:
        self.committed()
        self.train(LOSSLESS_SOURCE="command", LOSSLESS_ENVIRONMENT="off")
        meta = self.meta(lambda meta: "_source" in meta)
        self.assertEqual({"directory", "script", "command"}, set(meta["_source"]))
        self.assertNotIn("_environment", meta)
        self.slug += "-all"
        self.train(LOSSLESS_SOURCE="off", LOSSLESS_ENVIRONMENT="off")
        self.assertEqual({"lr": 0.1}, self.record(self.slug)["meta"])
        self.until_sent()

    def test_a_resumed_run_keeps_both_commits(self) -> None:
        first = self.committed()
        self.train("run.log({'x': 1.0})\nrun.finish(quiet=True)")
        self.meta()
        (self.root / "model.py").write_text("layers = 4\n")
        git(self.root, "commit", "-am", "second")
        second = git(self.root, "rev-parse", "HEAD")
        self.train("assert dict(run.config) == {'lr': 0.1}, run.config\nrun.config['more'] = 1\nrun.finish(quiet=True)")
        meta = self.meta(lambda meta: meta["_source"]["commit"] == second)
        self.assertEqual(["lr", "more", "_source", "_environment"], list(meta))
        self.until_sent()
        self.assertEqual([first], [note["_source"]["commit"] for note in self.notes("source")])
        self.assertEqual([], self.notes("config"))

    def test_offline_and_sent_later(self) -> None:
        """What counts is the commit of then; without a sender, what the process knew of itself."""
        first = self.committed()
        self.train(LOSSLESS_MODE="offline")
        [spool] = self.spools()
        end = time.monotonic() + 120
        while not (spool / "origin.json").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        (self.root / "model.py").write_text("layers = 4\n")
        git(self.root, "commit", "-am", "second")
        self.assertEqual(0, self.sync().returncode)
        self.assertEqual(first, self.meta()["_source"]["commit"])
        self.assertEqual([], self.spools())
        self.slug += "-unknown"
        self.train("run.finish(quiet=True)\n", LOSSLESS_MODE="offline", PATH=os.environ["PATH"])
        [spool] = self.spools()
        while not (spool / "origin.json").exists():
            time.sleep(0.05)
        (spool / "origin.json").unlink()
        self.assertEqual(0, self.sync().returncode)
        meta = self.meta()
        self.assertEqual({"directory", "script", "command"}, set(meta["_source"]))
        self.assertEqual({"python", "executable"}, set(meta["_environment"]))

    def test_an_older_recording_sent_later_replaces_nothing(self) -> None:
        first = self.committed()
        self.train(LOSSLESS_MODE="offline")
        [spool] = self.spools()
        end = time.monotonic() + 120
        while not (spool / "origin.json").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        (self.root / "model.py").write_text("layers = 4\n")
        git(self.root, "commit", "-am", "second")
        second = git(self.root, "rev-parse", "HEAD")
        self.train()
        self.meta()
        self.sync_until_sent()
        self.assertEqual(second, self.meta()["_source"]["commit"])
        self.assertEqual([first], [note["_source"]["commit"] for note in self.notes("source")])

    def test_several_ranks_and_children_say_it_once(self) -> None:
        commit = self.committed()
        child = """
            import os
            pid = os.fork()
            run.log({"x": 1.0})
            run.finish(quiet=True)
            if pid == 0:
                os._exit(0)
            os.waitpid(pid, 0)
            """
        self.train(child, RANK="1", WORLD_SIZE="2")
        self.until_sent()
        self.assertNotIn("_source", self.record(self.slug)["meta"])
        self.train(child, RANK="0", WORLD_SIZE="2")
        self.assertEqual(commit, self.meta()["_source"]["commit"])
        self.until_sent()
        self.assertEqual([], self.notes("source"))

    def test_api_reads_it_back(self) -> None:
        commit = self.committed()
        self.train()
        self.meta()
        code = f"""
            import lossless
            run = lossless.Api().run({self.slug!r})
            assert (run.commit, run.config) == ({commit!r}, {{"lr": 0.1}}), (run.commit, run.config)
            metadata = run.metadata
            assert metadata["git"]["commit"] == {commit!r} and metadata["program"] == "train.py", metadata
            assert metadata["source"]["branch"] == "main" and "packages" in metadata["environment"]
            """
        self.script(code)
        self.until_sent()


_RUNNER = "import sys\nexec(compile(open(sys.argv[1]).read(), sys.argv[1], 'exec'))\n"

if __name__ == "__main__":
    unittest.main()

"""How processes begin, multiply and end, and what is recorded then."""

from __future__ import annotations

import re
import unittest

from scripts import Scripts

_RAISES_BESIDE_A_THREAD = """
import threading, time
def logs_on():
    for number in range(10): run.log({"x": float(number)}); time.sleep(0.05)
threading.Thread(target=logs_on).start()
raise ValueError("boom")
"""


class Ends(Scripts):
    def end_of(self, slug: str, text: str, **variables: str) -> tuple[str, str]:
        """Status and error of the experiment, whose script ends in any way."""
        self.file(text, **variables)
        self.until(lambda: self.record(slug)["status"] in ("done", "error"), f"{slug} ends")
        record = self.record(slug)
        return record["status"], record["error"] or ""

    def test_exit_codes(self) -> None:
        begin = "import lossless, sys\nrun = lossless.init(id=sys.argv[0] and NAME)\nrun.log({'x': 1.0})\n"
        for name, line, status, message in (
            ("exit-3", "sys.exit(3)", "error", "exit code 3"),
            ("exit-text", "sys.exit('no data')", "error", "no data"),
            ("exit-0", "sys.exit(0)", "done", ""),
            ("exit-none", "sys.exit()", "done", ""),
            ("with-0", "with run: sys.exit(0)", "done", ""),
            ("with-2", "with run: sys.exit(2)", "error", "exit code 2"),
            ("raised", "1 / 0", "error", "ZeroDivisionError: division by zero"),
            ("survived", "try: sys.exit(1)\nexcept SystemExit: run.log({'x': 2.0})", "done", ""),
            ("raised-beside-a-thread", _RAISES_BESIDE_A_THREAD, "error", "ValueError: boom"),
        ):
            with self.subTest(name):
                found = self.end_of(name, begin.replace("sys.argv[0] and NAME", repr(name)) + line)
                self.assertEqual((status, message), found)

    def test_one_that_nobody_holds_is_over(self) -> None:
        """A loop of recordings without finish() leaves no processes behind."""
        result = self.good_file(
            """
            import gc, lossless
            for number in range(3):
                lossless.init(id=f"dropped-{number}").log({"x": float(number)})
                gc.collect()
            held = lossless.init(id="held")
            lossless.init(id="current")
            gc.collect()
            held.log({"x": 5.0})
            lossless.log({"x": 6.0})
            """
        )
        self.assertNotIn("Traceback", result.stderr)
        for slug, value in (
            ("dropped-0", 0.0),
            ("dropped-1", 1.0),
            ("dropped-2", 2.0),
            ("held", 5.0),
            ("current", 6.0),
        ):
            self.until(lambda slug=slug: self.record(slug)["status"] == "done", f"{slug} is done")
            self.assertEqual({"x": [(0, value, {})]}, self.service.points(slug))

    def test_many_that_overlap_leave_no_hooks(self) -> None:
        self.good_file(
            """
            import sys, lossless
            before = lossless.init(id="overlap-0", mode="offline", system=False)
            hooks = (sys.exit, sys.excepthook)
            for number in range(1, 300):
                after = lossless.init(id=f"overlap-{number}", mode="offline", system=False)
                before.finish(quiet=True)
                before = after
            assert (sys.exit, sys.excepthook) == hooks
            sys.exit(0)
            """
        )

    def test_a_signal_handler_that_finishes(self) -> None:
        """The handler may interrupt a call of log(), whose points are then late, and reported."""
        result = self.file(
            """
            import signal, sys, lossless
            run = lossless.init(id="signalled")
            def stop(*_):
                # There are some 100,000 points to be sent.
                report = run.finish(quiet=True, timeout=200)
                print(report.is_complete, report.stored, report.lost, report.refused)
            signal.signal(signal.SIGALRM, stop)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            count = 0
            while not run.is_finished:
                run.log({f"m{place}": float(count) for place in range(50)})
                count += 1
            """
        )
        complete, stored, lost, refused = result.stdout.split()
        self.assertEqual(("True", "0", "0"), (complete, lost, refused), result.stderr)
        self.assertEqual(int(stored), sum(len(rows) for rows in self.service.points("signalled").values()))
        self.assertNotIn("Bad file descriptor", result.stderr)

    def test_a_second_interrupt_ends_the_wait_and_prints_no_trace(self) -> None:
        result = self.file(
            """
            import lossless, signal, subprocess
            for id in ("twice-1", "twice-2"):
                lossless.init(id=id, reinit="create_new").log({"x": 1.0})
            waits = subprocess.Popen.wait
            def interrupted(self, timeout=None):
                subprocess.Popen.wait = waits
                signal.raise_signal(signal.SIGINT)
            subprocess.Popen.wait = interrupted
            raise KeyboardInterrupt
            """
        )
        self.assertEqual(1, result.stderr.count("Traceback"), result.stderr)
        self.assertEqual(-2, result.returncode)
        for id in ("twice-1", "twice-2"):
            self.until(lambda id=id: self.record(id)["status"] == "error", f"{id} ends")

    def test_a_second_interrupt_while_artifacts_are_waited_for_ends_it_as_interrupted(self) -> None:
        result = self.file(
            """
            import lossless, signal
            run = lossless.init(id="twice-saving")
            run.log({"x": 1.0})
            artifacts = run._writers()
            waits = artifacts.wait
            def interrupted(seconds):
                artifacts.wait = waits
                signal.raise_signal(signal.SIGINT)
            artifacts.wait = interrupted
            raise KeyboardInterrupt
            """
        )
        self.assertEqual(1, result.stderr.count("Traceback"), result.stderr)
        self.assertIn("the rest is in", result.stderr.rpartition("KeyboardInterrupt")[2])
        self.assertEqual(-2, result.returncode)
        self.until(lambda: self.record("twice-saving")["status"] in ("done", "error"), "it ends")
        self.assertEqual("KeyboardInterrupt", self.record("twice-saving")["error"])

    def test_what_comes_after_the_end_is_told(self) -> None:
        result = self.good_file(
            """
            import lossless
            run = lossless.init(id="late")
            run.finish()
            for step in range(10): run.log({"x": 1.0})
            for step in range(5): lossless.log({"x": 1.0})
            """
        )
        self.assertIn("lost so far: 1 point\n", result.stderr)
        self.assertIn("lost so far: 10 points", result.stderr)


class Children(Scripts):
    def test_a_fork_while_a_thread_logs(self) -> None:
        """The lock of another thread of the parent never holds a child."""
        self.good_file(
            """
            import os, threading, warnings, lossless
            warnings.simplefilter("ignore")
            run = lossless.init(id="forked")
            is_over = threading.Event()
            def log():
                while not is_over.is_set(): run.log({"parent": 1.0})
            threads = [threading.Thread(target=log) for _ in range(3)]
            for thread in threads: thread.start()
            children = []
            for number in range(10):
                child = os.fork()
                if child == 0:
                    run.log({"child": float(number)}, step=number)
                    os._exit(0)
                children.append(child)
            codes = [os.waitpid(child, 0)[1] for child in children]
            is_over.set()
            for thread in threads: thread.join()
            assert codes == [0] * 10, codes
            """
        )
        expected = [(number, float(number), {}) for number in range(10)]
        self.until(lambda: self.service.points("forked").get("child") == expected, "the children's points are stored")

    def test_an_experiment_is_handed_to_spawned_processes(self) -> None:
        """Pickled, it records into the same experiment, which the parent ends, without a key."""
        self.good_file(
            """
            import copy, multiprocessing, os, pickle, lossless

            def work(run, number):
                run.log({"child": float(number)}, step=number)
                run.finish(quiet=True)

            if __name__ == "__main__":
                context = multiprocessing.get_context("spawn")
                run = lossless.init(id="spawned", config={"lr": 1})
                assert copy.deepcopy([run])[0] is run
                assert os.environ["LOSSLESS_API_KEY"].encode() not in pickle.dumps(run)
                run.log({"parent": 1.0})
                children = [context.Process(target=work, args=(run, number)) for number in range(2)]
                for child in children: child.start()
                for child in children: child.join()
                assert [child.exitcode for child in children] == [0, 0]
            """
        )
        self.assertEqual(
            {"parent": [(0, 1.0, {})], "child": [(0, 0.0, {}), (1, 1.0, {})]}, self.service.points("spawned")
        )
        record = self.record("spawned")
        self.assertEqual(("done", {"lr": 1}), (record["status"], record["meta"]))

    def test_a_child_that_inits_under_the_same_name_goes_on_with_it(self) -> None:
        result = self.good_file(
            """
            import json, multiprocessing, time, lossless

            def work(number):
                run = lossless.init("same", "name")
                run.log({"child": float(number)}, step=number)
                run.finish(quiet=True)

            if __name__ == "__main__":
                run = lossless.init("same", "name", config={"lr": 1})
                state = run.directory / "state.json"
                # Each process sends with a sender of its own, and a child's may be faster.
                while not (state.exists() and json.loads(state.read_text())["is_started"]):
                    time.sleep(0.01)
                context = multiprocessing.get_context("spawn")
                for number in range(2):
                    child = context.Process(target=work, args=(number,))
                    child.start()
                    child.join()
                    assert child.exitcode == 0
                reader = lossless.Reader()
                status = reader.experiment(run.slug)["status"]
                run.finish(quiet=True)
                print(run.slug)
                assert status == "running", status
            """
        )
        self.assertEqual({"child": [(0, 0.0, {}), (1, 1.0, {})]}, self.service.points(result.stdout.strip()))
        record = self.record(result.stdout.strip())
        self.assertEqual(("done", {"lr": 1, "_name": "name"}), (record["status"], record["meta"]))


class Names(Scripts):
    def names_of(self, *launches: dict[str, str], inits: int = 1) -> list[list[str]]:
        """Returns the names of the recordings of each launch."""
        text = f"""
            import lossless
            runs = [lossless.init("p", system=False, mode="offline", reinit="create_new") for _ in range({inits})]
            print(*[run.slug for run in runs])
        """
        return [self.good_file(text, **variables).stdout.split() for variables in launches]

    def test_a_job_of_one_process_makes_up_names_like_any_other(self) -> None:
        [first, second] = self.names_of({"SLURM_JOB_ID": "77"}, {"SLURM_JOB_ID": "77"}, inits=2)
        self.assertEqual(4, len({*first, *second}))
        for name in first:
            self.assertRegex(name, r"^p/\d{8}-\d{6}-[a-z]+-[0-9a-z]{4}$")

    def test_ranks_of_a_job_share_names_and_launches_do_not(self) -> None:
        def rank(number: int, step: str) -> dict[str, str]:
            return {"SLURM_JOB_ID": "77", "SLURM_STEP_ID": step, "SLURM_PROCID": str(number), "SLURM_NTASKS": "2"}

        names = self.names_of(rank(0, "0"), rank(1, "0"), rank(0, "1"), inits=2)
        self.assertEqual([["p/77-0", "p/77-0-2"], ["p/77-0", "p/77-0-2"], ["p/77-1", "p/77-1-2"]], names)

    def test_ranks_of_a_job_on_one_machine_are_told_apart_by_launch(self) -> None:
        """torchrun runs within a job, also with an id that is the same at each launch."""
        launcher = """
            import os, subprocess, sys
            text = "import lossless; print(lossless.init('p', system=False, mode='offline').slug)"
            for rank in "01":
                environment = {**os.environ, "RANK": rank, "WORLD_SIZE": "2"}
                subprocess.run([sys.executable, "-c", text], env=environment, check=True)
        """
        for more in ({}, {"TORCHELASTIC_RUN_ID": "100", "LOCAL_WORLD_SIZE": "2"}):
            launches = [self.good_file(launcher, SLURM_JOB_ID="77", **more).stdout.split() for _ in range(2)]
            self.assertEqual([1, 1], [len(set(names)) for names in launches])
            self.assertNotEqual(launches[0], launches[1])

    def test_ranks_of_a_launcher_share_names_and_launches_do_not(self) -> None:
        """torchrun starts them, with "none" as run id at each launch."""
        launcher = """
            import os, subprocess, sys
            text = "import lossless; print(lossless.init('p', system=False, mode='offline').slug)"
            for rank in "01":
                environment = {**os.environ, "RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": "2",
                               "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "none", "MASTER_PORT": "29500"}
                subprocess.run([sys.executable, "-c", text], env=environment, check=True)
        """
        first = self.good_file(launcher).stdout.split()
        second = self.good_file(launcher).stdout.split()
        self.assertEqual(2, len(first))
        self.assertEqual(1, len(set(first)))
        self.assertEqual(1, len(set(second)))
        self.assertNotEqual(first, second)

    def test_a_rank_tells_its_end_when_it_has_something_to_tell(self) -> None:
        text = "import lossless\nrun = lossless.init('end', id='one')\nrun.log({'a': VALUE})\nrun.finish()"
        for rank, value, is_told in (("0", "1.0", True), ("1", "1.0", False), ("1", "object()", True)):
            words = {"RANK": rank, "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
            result = self.good_file(text.replace("VALUE", value), **words)
            self.assertEqual(is_told, "stored in end/one" in result.stderr, result.stderr)

    def test_machines_that_share_no_name_record_apart(self) -> None:
        result = self.good_file(
            "import lossless\nprint(lossless.init('p', system=False, mode='offline')._info.is_primary)",
            RANK="2",
            LOCAL_RANK="0",
            WORLD_SIZE="4",
            LOCAL_WORLD_SIZE="2",
        )
        self.assertEqual("True\n", result.stdout)
        self.assertRegex(result.stderr, re.compile("several machines and no name.*give init a name"))


if __name__ == "__main__":
    unittest.main()

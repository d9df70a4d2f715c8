"""Messages during a recording: that nothing reaches the service, and what to type."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from scripts import Scripts

_TRAIN = """
    import lossless, sys, time, warnings
    said = []
    warnings.showwarning = lambda message, *_: said.append(str(message))
    run = lossless.init(id=sys.argv[1], mode=sys.argv[2])
    step = 0
    def train(seconds):
        global step
        end = time.monotonic() + seconds
        while time.monotonic() < end and not said:
            run.log({"x": float(step)}, step=step)
            step += 1
            time.sleep(0.02)
    train(float(sys.argv[3]))
    told, said = said, []
    train(5.0)
    assert not said, said
    print(run.directory)
    print(*told, sep="\\n")
    run.finish(quiet=True, timeout=0.0)
    """


class ToldEarly(Scripts):
    def test_a_service_that_is_not_there(self) -> None:
        directory, *told = self.train("online", 60, LOSSLESS_URL="http://127.0.0.1:9")
        self.assertEqual(1, len(told), told)
        self.assertIn("nothing reaches http://127.0.0.1:9 at the moment: cannot reach", told[0])
        self.assertIn(f"waits in {directory} and is sent later", told[0])

    def test_a_key_that_is_refused(self) -> None:
        key = self.service.key
        other = key[:-1] + ("3" if key.endswith("2") else "2")
        _, *told = self.train("online", 60, LOSSLESS_API_KEY=other)
        self.assertEqual(1, len(told), told)
        self.assertIn("at the moment: The credential is", told[0])

    def test_nothing_is_told_where_nothing_is_wrong(self) -> None:
        self.assertEqual([""], self.train("online", 8)[1:])
        self.assertEqual([""], self.train("offline", 8, LOSSLESS_URL="http://127.0.0.1:9", LOSSLESS_SYSTEM="1")[1:])

    def test_a_program_that_is_no_python_is_not_started(self) -> None:
        text = """
            import sys
            import warnings
            sys.executable = sys.argv[1]
            import lossless
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                run = lossless.init(id="frozen")
                run.log({"x": 1.0})
                run.log({"x": 2.0})
            report = run.finish(quiet=True)
            assert not report.is_complete and "is not a Python" in report.problem, report
            print(len(told), str(told[0].message).count(report.command), report.command.split()[0])
            """
        with tempfile.TemporaryDirectory() as directory:
            application = Path(directory) / "application"
            application.write_text(f"#!/bin/sh\ntouch {directory}/started\n")
            application.chmod(0o700)
            result = self.script(text, str(application))
            self.assertEqual(["application"], os.listdir(directory))
        self.assertEqual("1 1 python3\n", result.stdout)
        self.sync_until_sent()
        self.assertEqual([(0, 1.0), (1, 2.0)], self.stored("frozen", "x"))

    def test_the_command_that_is_told_works_where_no_command_lossless_is(self) -> None:
        text = """
            import lossless
            run = lossless.init(id="told", mode="offline")
            run.log({"x": 1.0})
            print(run.finish(quiet=True).command)
            """
        command = self.script(text).stdout
        with tempfile.TemporaryDirectory() as foreign:
            # This is the service's own command line, which has no `sync`.
            other = Path(foreign) / "lossless"
            other.write_text("#!/bin/sh\nexit 2\n")
            other.chmod(0o700)
            path = f"{foreign}{os.pathsep}{os.environ['PATH']}"
            result = subprocess.run(["sh", "-c", command], env=self.environment(PATH=path), capture_output=True)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual([(0, 1.0)], self.stored("told", "x"))

    def test_the_shortest_name_of_this_very_interpreter(self) -> None:
        text = """
            import lossless
            print(lossless.init(mode="offline").finish(quiet=True).command.split()[0])
            """
        own = Path(os.path.abspath(sys.executable))
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(str(own), self.script(text, PATH=directory).stdout.strip())
            # This is another environment's link to the same program.
            (Path(directory) / "python").symlink_to(own)
            self.assertEqual(str(own), self.script(text, PATH=directory).stdout.strip())
        if (own.parent / "python").exists():
            self.assertEqual("python", self.script(text, PATH=str(own.parent)).stdout.strip())

    def train(self, mode: str, seconds: float, **variables: str) -> list[str]:
        return self.good_file(_TRAIN, self._testMethodName, mode, str(seconds), **variables).stdout[:-1].split("\n")


if __name__ == "__main__":
    unittest.main()

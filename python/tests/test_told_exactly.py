"""What is told names what it is about."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from service import WithService


class ToldExactly(WithService):
    def run_python(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            [sys.executable, *words],
            env=self.service.environment(spool=self._testMethodName),
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(code, result.returncode, result.stderr)
        return result

    def script(self, text: str) -> subprocess.CompletedProcess[str]:
        return self.run_python("-W", "error", "-c", textwrap.dedent(text))

    def test_integers_that_are_rounded_or_too_large(self) -> None:
        result = self.script(
            """
            import lossless
            class Whole:
                "As an integer of numpy, which compares as a float."
                def item(self): return 2**53 + 1
                def __eq__(self, other): return True
                def __ne__(self, other): return False
            run = lossless.init(id="rounded")
            run.log({"numpy": Whole(), "plain": 2**53 + 1, "exact": 2**53 + 2, "float": 1e300})
            run.log({"huge": 10**400})
            assert run.finish(quiet=True).refusals == [{"count": 1, "reason": "'huge': a number beyond those of 64 bits"}]
            """
        )
        for name in ("numpy", "plain"):
            self.assertIn(f"{name!r}: {2**53 + 1} is rounded to", result.stderr)
        self.assertEqual(2, result.stderr.count("is rounded"))

    def test_what_is_set_after_the_end(self) -> None:
        result = self.script(
            """
            import lossless
            run = lossless.init(id="after")
            run.summary["best"] = 1
            run.config.lr = 1
            run.finish(quiet=True)
            for each in range(3):
                run.summary["best"] = each
                run.config.lr = each
                run.config.update(lr=each)
            """
        )
        for what in ("summary", "config"):
            self.assertEqual(1, result.stderr.count(f"{what} changed after finish(): not recorded"), result.stderr)

    def test_what_is_not_found_has_a_name(self) -> None:
        result = self.script(
            """
            import lossless
            lossless.save_artifact(__import__("json").__file__, "there")
            for call in (
                lambda: lossless.Reader().series("no/such", "loss"),
                lambda: lossless.load_artifact("there", "copy", version="17"),
                lambda: lossless.load_artifact("absent", "copy"),
            ):
                try:
                    call()
                except lossless.LosslessError as error:
                    print(error)
            """
        )
        experiment, version, artifact = result.stdout.splitlines()
        self.assertIn("('no/such')", experiment)
        self.assertIn("('there', version '17')", version)
        self.assertIn("no artifact 'absent'", artifact)

    def test_a_directory_that_is_no_spool(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            empty, other = Path(directory) / "empty", Path(directory)
            empty.mkdir()
            result = self.run_python("-m", "lossless", "sync", str(other), code=1)
            self.assertIn(f"{other} has no recording", result.stderr)
            self.assertIn("nothing waits", self.run_python("-m", "lossless", "sync", str(empty)).stdout)
            # It is a directory that a recording has waited in, among other things.
            self.script(f"import lossless; lossless.init(id='beside', dir={directory!r}).finish(quiet=True)")
            self.assertIn("nothing waits", self.run_python("-m", "lossless", "sync", directory).stdout)


if __name__ == "__main__":
    unittest.main()

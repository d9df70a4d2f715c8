"""SIGTERM, which schedulers send to what they preempt, is told apart from a crash."""

from __future__ import annotations

import signal
import unittest

from scripts import Scripts

_TERMINATED = "the recording process was ended by SIGTERM, as a scheduler ends what it preempts"
_LOST = "the recording process ended without finish()"


class Terminated(Scripts):
    def told(self, slug: str) -> str:
        self.until(lambda: self.record(slug)["status"] == "error", "its sender ends it")
        return str(self.record(slug)["error"])

    def test_a_process_that_is_terminated(self) -> None:
        """The process ends at once, with the signal's exit code, also within a call of C code."""
        result = self.file(
            """
            import lossless, os, signal, subprocess
            runs = [lossless.init(id=f"terminated-{number}", reinit="create_new") for number in range(2)]
            for run in runs: run.log({"x": 1.0})
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
            # The main thread is in C, and never gets to a handler of Python's.
            subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -TERM {os.getpid()}"])
            sum(range(10**12))
            """
        )
        self.assertEqual(-signal.SIGTERM, result.returncode, result.stderr)
        for number in range(2):
            self.assertEqual(_TERMINATED, self.told(f"terminated-{number}"))

    def test_offline_it_is_told_later(self) -> None:
        self.file(
            """
            import lossless, os, signal
            run = lossless.init(id="later", mode="offline")
            run.log({"x": 1.0})
            os.kill(os.getpid(), signal.SIGTERM)
            """
        )
        self.sync_until_sent()
        self.assertEqual(_TERMINATED, self.record("later")["error"])

    def test_the_scripts_own_handler_stays(self) -> None:
        """The handler may be set before or after `init`, and after `finish`."""
        for place in ("before", "after"):
            result = self.file(
                """
                import lossless, os, signal, sys
                seen = []
                def own(*_): seen.append(1)
                if sys.argv[1] == "before": signal.signal(signal.SIGTERM, own)
                run = lossless.init(id=f"own-{sys.argv[1]}")
                if sys.argv[1] == "after": signal.signal(signal.SIGTERM, own)
                os.kill(os.getpid(), signal.SIGTERM)
                run.log({"x": 1.0})
                run.finish(quiet=True)
                os.kill(os.getpid(), signal.SIGTERM)
                assert seen == [1, 1] and signal.getsignal(signal.SIGTERM) is own
                """,
                place,
            )
            self.assertEqual(0, result.returncode, result.stderr)
            self.assertEqual("done", self.record(f"own-{place}")["status"])

    def test_children_that_are_terminated_mark_nothing(self) -> None:
        """Workers are terminated by their parent, which itself dies of something else."""
        self.file(
            """
            import lossless, os, signal, time
            run = lossless.init(id="parent")
            run.log({"x": 1.0})
            child = os.fork()
            if not child: time.sleep(600)
            os.kill(child, signal.SIGTERM)
            assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGTERM
            os.kill(os.getpid(), signal.SIGKILL)
            """
        )
        self.assertEqual(_LOST, self.told("parent"))

    def test_a_child_that_is_terminated_before_its_first_line(self) -> None:
        self.file(
            """
            import lossless, os, signal
            # Runs before what `init` registers.
            os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGTERM))
            run = lossless.init(id="first-line")
            run.log({"x": 1.0})
            child = os.fork()
            if not child: os._exit(0)
            assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGTERM
            os.kill(os.getpid(), signal.SIGKILL)
            """
        )
        self.assertEqual(_LOST, self.told("first-line"))

    def test_nothing_is_left_of_it_at_the_end(self) -> None:
        self.script(
            """
            import faulthandler, lossless, os, signal
            before = set(os.listdir("/proc/self/fd"))
            with lossless.init(id="ended") as run:
                run.log({"x": 1.0})
            assert not faulthandler.unregister(signal.SIGTERM)
            assert set(os.listdir("/proc/self/fd")) == before, os.listdir("/proc/self/fd")
            """
        )


if __name__ == "__main__":
    unittest.main()

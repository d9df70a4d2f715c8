"""An exception of a script's signal handler reaches the script, wherever the client is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

_BEGIN = """
    import functools, os, signal, sys
    import lossless
    class Timeout(Exception): pass
    run = lossless.init("p", id="r", mode="offline", system=False)
    class Value:
        "A handler may strike anywhere: here it strikes inside of the call, each time."
        def __float__(self):
            os.kill(os.getpid(), signal.SIGUSR1)
            return 1.0
        def __str__(self):
            os.kill(os.getpid(), signal.SIGUSR1)
            return "text"
    calls = {
        "log": lambda: run.log({"x": Value()}),
        "meta": lambda: run.log({"x": 1.0}, meta={"a": Value()}),
        "annotate": lambda: run.annotate(Value()),
        "config": lambda: run.config.update({"a": Value()}),
        "summary": lambda: lossless.log({"x": Value()}),
    }
"""

_CHECK = """
    for name, call in calls.items():
        put()
        try:
            call()
            print(name, "swallowed", flush=True)
        except (Timeout, TimeoutError, ValueError) as error:
            print(name, type(error).__name__, flush=True)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    run.log({"after": 1.0})
    report = run.finish(quiet=True)
    print(report.refused, report.problem)
"""


class SignalHandlers(unittest.TestCase):
    def script(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "train.py"
            path.write_text(textwrap.dedent(_BEGIN) + textwrap.dedent(text) + textwrap.dedent(_CHECK))
            environment = {name: value for name, value in os.environ.items() if not name.startswith("LOSSLESS_")}
            environment["LOSSLESS_SPOOL"] = str(Path(directory) / "spool")
            environment["PYTHONPATH"] = str(Path(__file__).parents[1] / "src")
            result = subprocess.run(
                [sys.executable, str(path)], env=environment, capture_output=True, text=True, timeout=60
            )
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout.splitlines()

    def expect(self, error: str, text: str) -> None:
        names = ("log", "meta", "annotate", "config", "summary")
        self.assertEqual([f"{name} {error}" for name in names] + ["0 recorded offline"], self.script(text))

    def test_a_function(self) -> None:
        self.expect(
            "Timeout",
            """
            def handler(number, frame): raise Timeout()
            def put(): signal.signal(signal.SIGUSR1, handler)
            """,
        )

    def test_any_arguments_and_an_error_of_the_system(self) -> None:
        self.expect(
            "TimeoutError",
            """
            def handler(*_): raise TimeoutError()
            def put(): signal.signal(signal.SIGUSR1, handler)
            """,
        )

    def test_one_that_takes_itself_away(self) -> None:
        self.expect(
            "ValueError",
            """
            def handler(number, frame):
                signal.signal(number, signal.SIG_DFL)
                raise ValueError()
            def put(): signal.signal(signal.SIGUSR1, handler)
            """,
        )

    def test_methods_objects_and_partial_functions(self) -> None:
        self.expect(
            "Timeout",
            """
            class Handler:
                def __call__(self, number, frame):
                    number = frame = None
                    raise Timeout()
                def method(self, number, frame):
                    number = frame = None
                    raise Timeout()
            def named(number, frame, name):
                number = frame = None
                raise Timeout()
            kinds = 2 * [Handler(), Handler().method, functools.partial(named, name="a")]
            def put(): signal.signal(signal.SIGUSR1, kinds.pop())
            """,
        )

    def test_what_a_value_raises_by_itself_stays_with_us(self) -> None:
        lines = self.script(
            """
            def handler(number, frame): pass
            signal.signal(signal.SIGUSR1, handler)
            class Bad:
                def __float__(self): raise Timeout()
                __str__ = __float__
            calls = {"log": lambda: run.log({"x": Bad()}), "annotate": lambda: run.annotate(Bad())}
            def put(): pass
            """
        )
        self.assertEqual(["log swallowed", "annotate swallowed", "2 recorded offline"], lines)

    def test_finish_tells_what_is_left_and_stops_waiting(self) -> None:
        lines = self.script(
            """
            # Without a listener.
            waiting = lossless.init("p", id="waiting", url="http://127.0.0.1:9", api_key="k", system=False)
            def handler(number, frame): raise TimeoutError("enough")
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
            try:
                while True: waiting.log({"x": 1.0})
            except TimeoutError as error:
                print(error)
            try:
                waiting.finish(timeout=50)
            except TimeoutError as error:
                signal.setitimer(signal.ITIMER_REAL, 0)
                print(error, waiting.report.is_complete)
            calls = {}
            """
        )
        self.assertEqual(["enough", "enough False", "0 recorded offline"], lines)

    def test_a_call_that_waits_for_a_service_is_given_up(self) -> None:
        lines = self.script(
            """
            import socket
            silent = socket.create_server(("127.0.0.1", 0))
            def handler(number, frame): raise TimeoutError("enough")
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            try:
                lossless.Reader(f"http://127.0.0.1:{silent.getsockname()[1]}", "k").tree()
            except TimeoutError as error:
                print(error)
            calls = {}
            """
        )
        self.assertEqual(["enough", "0 recorded offline"], lines)


if __name__ == "__main__":
    unittest.main()

"""What a process prints and logs: kept line by line, sent once, and never in the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

from fault_proxy import FaultProxy, answer
from scripts import Scripts
from service import ROOT, Service, node

from lossless._console.line_maker import LineMaker
from lossless._console.secrets import masked


class LinesOfAStream(unittest.TestCase):
    def texts(self, *written: str) -> list[str]:
        maker = LineMaker()
        return [line.text for each in written for line in maker.feed(each)]

    def test_lines_end_where_they_end(self) -> None:
        self.assertEqual(["ab", "", "c"], self.texts("a", "b\n\nc", "\n", "d"))

    def test_parts_of_a_line_come_before_what_ends_it(self) -> None:
        for end, lines in (
            ("\n", ["step 1"]),
            ("!\n", ["step 1!"]),
            ("\r0%\n", ["0%"]),
            ("!", []),
            ("\n\n", ["step 1", ""]),
        ):
            with self.subTest(end=end):
                maker = LineMaker()
                maker.parts += ["step", " ", "1"]
                plain = maker.plain_line(end)
                self.assertEqual(lines, [line.text for line in maker.feed(end)] if plain is None else [plain])
                self.assertEqual("step 1!" if not lines else "", maker.open)

    def test_a_line_that_is_written_over_comes_in_its_last_state(self) -> None:
        self.assertEqual(["100%"], self.texts("\r 0%", "\r 50%", "\r100%", "\n"))
        self.assertEqual(["done"], self.texts("12%\rdone   \r\n"))

    def test_colours_are_spans(self) -> None:
        (line,) = LineMaker().feed("\x1b[1m\x1b[31m🙂red\x1b[0m plain\x1b[K \x1b]8;;http://x\x07link\x1b]8;;\x07\n")
        self.assertEqual("🙂red plain link", line.text)
        self.assertEqual([{"start": 0, "end": 5, "style": "1;31"}], line.spans)

    def test_a_line_without_end_is_cut(self) -> None:
        maker = LineMaker()
        lines = [line for _ in range(100) for line in maker.feed("x" * 1_000)] + maker.end()
        self.assertEqual(100_000, sum(len(line.text) for line in lines))
        self.assertLessEqual(max(len(line.text) for line in lines), 16_384)

    def test_what_looks_like_a_key_is_masked(self) -> None:
        for secret in ("ak_" + "a" * 44, "AKIA" + "A" * 16, "hf_" + "b" * 34, "sk-" + "c" * 40):
            self.assertEqual("key ********!", masked(f"key {secret}!"))
        self.assertEqual("aws_secret_access_key = ********", masked("aws_secret_access_key = abc/def+ghi"))
        for plain in ("epoch 1: loss=0.25", "task_id: ak_47", "token count: 123456789"):
            self.assertEqual(plain, masked(plain))

    def test_the_signs_of_a_secret_miss_none(self) -> None:
        """They only save time."""
        known = ["ak_" + "a" * 44, "gho_" + "b" * 36, "glpat-" + "c" * 20, "hf_" + "d" * 30, "sk-" + "e" * 20]
        known += ["AKIA" + "A" * 16, "ASIA" + "B" * 16, "AIza" + "f" * 35, "ya29." + "g" * 20, "xoxb-" + "h" * 10]
        known += ["eyJ" + "i" * 10 + ".eyJ" + "j" * 10 + "." + "k" * 10, "github_pat_" + "l" * 22]
        for secret in known:
            for text in ("{}", "x={}", '"{}",', "12 {}\t3"):
                self.assertEqual(text.format("********"), masked(text.format(secret)))
        for name in ("secret_access_key", "AccountKey", "api_key", "sas_token", "PASSWORD", "?sig"):
            self.assertEqual(f"{name}=********", masked(f"{name}=12345678"))


class Console(Scripts):
    def lines(self, slug: str) -> list[tuple[str, str]]:
        """The lines of a script, without what this package says in it."""
        lines = [(line["stream"], line["text"]) for line in self.service.console(slug)["lines"]]
        return [(stream, text) for stream, text in lines if not text.startswith("lossless: ")]

    def recorded(self, slug: str, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
        begin = f"import lossless, logging, os, subprocess, sys, threading, time\nrun = lossless.init(slug={slug!r})\n"
        return self.script(begin + textwrap.dedent(text), **variables)

    def test_what_is_printed_and_logged_is_there_in_order(self) -> None:
        result = self.recorded(
            "plain",
            """
            print("hello"); print("a", "b", sep="", end=""); print()
            print("to stderr", file=sys.stderr)
            logging.getLogger("x").warning("careful")
            logging.basicConfig(filename=os.devnull, level=logging.INFO)
            logging.getLogger("x").info("to a file alone")
            logging.getLogger("x").debug("not asked for")
            run.finish()
            print("afterwards")
            """,
        )
        self.assertEqual("hello\nab\nafterwards\n", result.stdout)
        self.assertIn("to stderr\ncareful\n", result.stderr)
        expected = [
            ("stdout", "hello"),
            ("stdout", "ab"),
            ("stderr", "to stderr"),
            ("warning", "careful"),
            ("info", "INFO:x:to a file alone"),
        ]
        self.assertEqual(expected, self.lines("plain"))
        (source,) = self.service.console("plain")["sources"]
        self.assertEqual([], source["open"])
        self.assertEqual([], self.spools())

    def test_child_processes_are_heard_through_the_descriptors(self) -> None:
        result = self.recorded(
            "children",
            """
            print("before", flush=True)
            subprocess.run(["echo", "from a child"])
            os.write(2, b"from C\\n")
            print("after")
            """,
            LOSSLESS_CONSOLE="fd",
        )
        self.assertEqual("before\nfrom a child\nafter\n", result.stdout)
        lines = self.lines("children")
        self.assertEqual(["before", "from a child", "after"], [text for stream, text in lines if stream == "stdout"])
        self.assertIn(("stderr", "from C"), lines)

    def test_it_is_in_nobodys_way(self) -> None:
        self.recorded(
            "in-the-way",
            """
            import contextlib, io
            with contextlib.redirect_stdout(io.StringIO()) as elsewhere:
                print("not on the console")
            assert elsewhere.getvalue() == "not on the console\\n"
            threads = [threading.Thread(target=lambda n=n: [sys.stdout.write(f"{n}-{i}\\n") for i in range(50)]) for n in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            if os.fork() == 0:
                print("a forked child"); sys.stdout.flush(); os._exit(0)
            os.wait()
            broken, _ = os.pipe()
            sys.stdout = os.fdopen(os.dup(broken), "w")
            try: print("to nobody", flush=True)
            except OSError: pass
            sys.stdout = sys.__stdout__
            sys.stdout.write(b"bytes".decode())
            print("\\ud800 a lone surrogate".encode("utf-8", "replace").decode())
            """,
        )
        texts = [text for _, text in self.lines("in-the-way")]
        self.assertEqual({f"{n}-{i}" for n in range(4) for i in range(50)}, {text for text in texts if "-" in text[:4]})
        self.assertIn("a forked child", texts)
        self.assertNotIn("not on the console", texts)

    def texts(self, slug: str) -> list[str]:
        return [text for _, text in self.lines(slug)]

    def test_a_notebook_s_streams_go_elsewhere_than_their_descriptors(self) -> None:
        """As ipykernel's: without a file number, and the descriptor is somebody else's."""
        begin = """
            import io, os, subprocess, sys
            class OutStream(io.TextIOBase):
                cells = ""
                def fileno(self): raise io.UnsupportedOperation("fileno")
                def write(self, text): OutStream.cells += text; return len(text)
                def flush(self): pass
            sys.stdout, sys.stderr = OutStream(), OutStream()
            import lossless
            run = lossless.init(slug=sys.argv[1], console=sys.argv[2])
            print("in a cell")
            print("colours: \\x1b[32mgreen\\x1b[0m", file=sys.stderr)
            subprocess.run(["echo", "by a child"])
            run.finish(quiet=True)
            print("afterwards")
            assert "in a cell\\n" in OutStream.cells and "afterwards\\n" in OutStream.cells
            """
        for mode in ("wrap", "fd"):
            with self.subTest(mode=mode):
                result = self.script(begin, f"notebook-{mode}", mode)
                self.assertEqual("by a child\n", result.stdout)
                expected = {"in a cell", "colours: green"} | ({"by a child"} if mode == "fd" else set())
                self.assertEqual(sorted(expected), sorted(self.texts(f"notebook-{mode}")))

    def test_closed_streams_and_descriptors_break_nothing(self) -> None:
        text = """
            import os, sys
            {closing}
            import lossless
            run = lossless.init(slug=sys.argv[1], console=sys.argv[2])
            try: print("to nobody", flush=True)
            except (OSError, ValueError): pass
            print("heard", file=sys.stderr)
            run.log({{"loss": 1.0}})
            run.finish(quiet=True)
            # Neither does what Python writes at its end.
            sys.stdout = None
            """
        closings = ("os.close(1)", "sys.stdout.close()", "sys.stdout = None", "os.close(1); sys.stdout = None")
        for mode in ("wrap", "fd"):
            for number, closing in enumerate(closings):
                slug = f"closed-{mode}-{number}"
                with self.subTest(slug):
                    self.script(text.format(closing=closing), slug, mode)
                    self.assertIn(("stderr", "heard"), self.lines(slug))
                    self.assertEqual([(0, 1.0)], self.stored(slug, "loss"))

    def test_a_reader_that_is_gone_ends_no_console(self) -> None:
        """As of `python train.py | head -1`."""
        text = """
            import lossless, os, sys
            run = lossless.init(slug=sys.argv[1], console=sys.argv[2])
            print("first"); input()
            for number in range(3):
                try: print(number, flush=True)
                except BrokenPipeError: pass
            run.log({"loss": 1.0})
            run.finish(quiet=True)
            os._exit(0)
            """
        for mode in ("wrap", "fd"):
            with self.subTest(mode=mode):
                slug = f"gone-{mode}"
                script = self.started(text, slug, mode)
                self.assertEqual("first", script.line())
                script.deafen()
                script.go_on()
                self.assertEqual(0, script.ended())
                # Without a buffer `print` fails before it writes the end of the line.
                self.assertEqual(("first", "012"), (self.texts(slug)[0], "".join(self.texts(slug)[1:])))
                self.assertEqual([(0, 1.0)], self.stored(slug, "loss"))

    def test_forked_and_spawned_children_are_heard(self) -> None:
        text = """
            import lossless, multiprocessing, os, sys
            def say(words): print(words, flush=True)
            if __name__ == "__main__":
                run = lossless.init(slug=sys.argv[1], console=sys.argv[2])
                print("parent", flush=True)
                child = os.fork()
                if child == 0:
                    say("forked"); os._exit(0)
                os.waitpid(child, 0)
                for method in ("fork", "spawn"):
                    process = multiprocessing.get_context(method).Process(target=say, args=(method,))
                    process.start(); process.join()
                    assert process.exitcode == 0
                print("parent again", flush=True)
                run.finish(quiet=True)
            """
        expected = ["parent", "forked", "fork", "spawn", "parent again"]
        for mode in ("wrap", "fd"):
            with self.subTest(mode=mode):
                result = self.good_file(text, f"children-{mode}", mode)
                self.assertEqual(expected, result.stdout.splitlines())
                # A spawned child has streams of its own.
                heard = expected if mode == "fd" else [each for each in expected if each != "spawn"]
                self.assertEqual(heard, self.texts(f"children-{mode}"))

    def test_a_child_that_outlives_the_script_goes_on_printing(self) -> None:
        """As a server that a script starts: without a recording it has the script's streams."""
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            child = f"while [ ! -e {place}/gate ]; do sleep 0.05; done; echo late; echo $? > {place}/proof"
            text = f"""
            import lossless, subprocess
            run = lossless.init(slug="outlived", console="fd")
            subprocess.Popen(["sh", "-c", {child!r}], start_new_session=True)
            print("before")
            run.finish(quiet=True)
            """
            with (place / "printed").open("w") as printed:
                subprocess.run(
                    [sys.executable, "-c", textwrap.dedent(text)],
                    env=self.environment(),
                    stdout=printed,
                    check=True,
                    timeout=240,
                )
            (place / "gate").touch()
            end = time.monotonic() + 120
            while "late" not in (place / "printed").read_text():
                self.assertLess(time.monotonic(), end, "the child does not print any more")
                time.sleep(0.05)
            while not (place / "proof").exists():
                self.assertLess(time.monotonic(), end, "the child has ended")
                time.sleep(0.05)
        self.assertEqual(["before"], [text for stream, text in self.lines("outlived") if stream == "stdout"])

    def test_a_child_that_prints_for_ever_does_not_keep_the_recording_open(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            pid = Path(name) / "pid"
            text = f"""
            import lossless, pathlib, subprocess
            run = lossless.init(slug="for-ever", console="fd", mode="offline")
            child = subprocess.Popen(["yes", "y" * 40], start_new_session=True)
            pathlib.Path({str(pid)!r}).write_text(str(child.pid))
            for number in range(5): print("printed", number, flush=True)
            run.finish(quiet=True)
            """
            try:
                subprocess.run(
                    [sys.executable, "-c", textwrap.dedent(text)],
                    env=self.environment(),
                    stdout=subprocess.DEVNULL,
                    check=True,
                    timeout=240,
                )
            finally:
                os.kill(int(pid.read_text()), signal.SIGKILL)
        # The system may write the child's lines into those of the script.
        printed = "".join(self.kept()).replace("y", "")
        self.assertEqual("".join(f"printed {number}" for number in range(5)), printed)

    def test_an_original_that_nobody_reads_does_not_keep_the_recording_open(self) -> None:
        text = """
        import lossless
        run = lossless.init(slug="unread", console="fd", mode="offline")
        # More than the pipe holds, and less than two of them.
        for number in range(100): print(f"printed {number}", "x" * 1000, flush=True)
        run.finish(quiet=True)
        """
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(text)], env=self.environment(), stdout=subprocess.PIPE
        ) as script:
            try:
                self.assertEqual(0, script.wait(timeout=240))
            finally:
                script.kill()
        self.assertEqual([f"printed {number} " + "x" * 1000 for number in range(100)], self.kept())

    def kept(self) -> list[str]:
        """What the script and its children printed, from the spool."""
        [directory] = self.spools()
        records = [json.loads(line[9:]) for line in (directory / "console.log").read_text().splitlines()]
        texts = [record[3] for record in records if record[0] == "l"]
        return [text for text in texts if not text.startswith("lossless: ")]

    def test_a_child_whose_parent_was_killed_does_not_wait_for_ever(self) -> None:
        said = self.service.directory / "orphan"
        script = self.started(
            """
            import lossless, os, signal, sys
            run = lossless.init(slug="orphan", console="fd")
            if os.fork() == 0:
                os.setsid(); os.read(0, 1)
                try:
                    while True: os.write(1, b"x" * 65536)
                except OSError as error:
                    open(sys.argv[1], "w").write(type(error).__name__)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
            """,
            str(said),
        )
        script.ended()
        script.go_on()
        self.until(lambda: said.exists() and said.read_text(), "the child's write fails")
        self.assertEqual("BrokenPipeError", said.read_text())

    def test_the_disk_of_sent_lines_is_given_back_while_the_script_goes_on(self) -> None:
        script = self.started(
            """
            import lossless, os, sys
            run = lossless.init(slug="large")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            for number in range(24_000): print(f"{number} " + "x" * 1000, file=sys.stderr)
            print("printed"); input()
            if os.fork() == 0:
                print("a child", file=sys.stderr); os._exit(0)
            os.wait()
            print("the end", file=sys.stderr)
            print("ended"); input()
            """
        )
        self.assertEqual("printed", script.line())
        (spool,) = self.spools()
        console = spool / "console.log"

        def given_back() -> int:
            status = console.stat()
            return status.st_size - status.st_blocks * 512

        self.until(lambda: given_back() >= 15 * 2**20, "disk is given back")
        script.go_on()
        self.assertEqual("ended", script.line())
        self.assertGreaterEqual(self.kill_senders(), 1)
        script.kill()
        # How many lines are gone is known without the state.
        (spool / "state.json").unlink()
        self.sync_until_sent()
        found: list[str] = []
        while len(found) < self.service.console("large")["total"]:
            found += [line["text"] for line in self.service.console("large", first=len(found))["lines"]]
        texts = [text for text in found if not text.startswith("lossless: ") and text not in ("printed", "ended")]
        self.assertEqual([f"{number} " + "x" * 1000 for number in range(24_000)] + ["a child", "the end"], texts)

    def test_a_service_that_is_overloaded_gets_each_line_once(self) -> None:
        with FaultProxy(self.service.url) as proxy:
            script = self.started(
                """
                import lossless, sys
                run = lossless.init(slug="overloaded")
                print(0, file=sys.stderr)
                print("there"); input()
                for number in range(1, 100): print(number, file=sys.stderr)
                print("printed"); input()
                """,
                LOSSLESS_URL=proxy.url,
            )
            self.assertEqual("there", script.line())
            self.until(lambda: self.is_there("overloaded") and ("stdout", "there") in self.lines("overloaded"), "sent")
            proxy.answers += [answer(429), answer(503), answer(429)]
            script.go_on()
            self.assertEqual("printed", script.line())
            self.until(lambda: ("stdout", "printed") in self.lines("overloaded"), "all is sent")
            self.assertEqual([], proxy.answers)
        numbers = [text for stream, text in self.lines("overloaded") if stream == "stderr"]
        self.assertEqual([str(number) for number in range(100)], numbers)

    def test_what_has_no_line_end_is_a_line_at_the_end(self) -> None:
        for mode in ("wrap", "fd"):
            self.recorded(f"endless-{mode}", "sys.stdout.write('50%')", LOSSLESS_CONSOLE=mode)
            self.assertEqual([("stdout", "50%")], self.lines(f"endless-{mode}"))

    def test_off_is_off(self) -> None:
        self.recorded("off", "print('nothing')", LOSSLESS_CONSOLE="off")
        self.assertEqual([], self.lines("off"))

    def test_a_killed_script_has_said_what_it_has_said(self) -> None:
        script = self.started(
            """
            import lossless, os, signal, sys, time
            run = lossless.init(slug="killed")
            for number in range(500): print(number)
            sys.stdout.write("in the midst of a line"); sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)
            """
        )
        script.ended()
        self.sync_until_sent()
        self.assertEqual([str(number) for number in range(500)], [text for _, text in self.lines("killed")])

    def test_lines_of_a_time_without_a_service_come_later_and_once(self) -> None:
        self.recorded("offline", "for number in range(15000): print(number % 10)", LOSSLESS_MODE="offline")
        self.sync_until_sent()
        # More short lines than one request may have.
        texts = [text for _, text in self.lines("offline")]
        texts += [line["text"] for line in self.service.console("offline", first=10_000)["lines"]]
        self.assertEqual([str(number % 10) for number in range(15_000)], texts)

    def test_a_sender_that_has_lost_its_state_stores_nothing_twice(self) -> None:
        script = self.started(
            """
            import lossless, sys, time
            run = lossless.init(slug="state")
            for number in range(200): print(number)
            print(run.directory, file=sys.__stderr__, flush=True)
            time.sleep(600)
            """
        )
        self.until(lambda: self.is_there("state") and len(self.lines("state")) >= 200, "its lines are stored")
        self.assertEqual(1, self.kill_senders())
        script.kill()
        (spool,) = self.spools()
        (spool / "state.json").unlink(missing_ok=True)
        self.sync_until_sent()
        self.assertEqual(
            [str(number) for number in range(200)], [text for stream, text in self.lines("state") if stream == "stdout"]
        )

    def is_there(self, slug: str) -> bool:
        try:
            self.service.console(slug)
        except KeyError:
            return False
        return True


class FullOrganization(Scripts):
    @classmethod
    def setUpClass(cls) -> None:
        cls.service = Service()

    def quota(self, maximum: str) -> None:
        words = ["quotas", "acme", "--bytes", maximum, "--data", str(self.service.directory / "data")]
        subprocess.run([node(), "cli/bin/lossless.js", *words], cwd=ROOT, check=True, capture_output=True, timeout=240)

    def texts(self, slug: str) -> list[str]:
        try:
            lines = self.service.console(slug)["lines"]
        except KeyError:
            return []
        return [line["text"] for line in lines if line["stream"] == "stderr" and "lossless: " not in line["text"]]

    def test_lines_without_room_are_told_once_and_wait_for_it(self) -> None:
        script = self.started(
            """
            import lossless, sys, time
            run = lossless.init(slug="full")
            for number in range(5): print(number, file=sys.stderr)
            print("five"); input()
            for number in range(5, 10): print(number, file=sys.stderr)
            report = run.finish(quiet=True)
            print(report.is_complete); print(report.problem)
            """
        )
        self.assertEqual("five", script.line())
        five, ten = ([str(number) for number in range(end)] for end in (5, 10))
        self.until(lambda: self.texts("full") == five, "five lines are stored")
        self.quota("1")
        script.go_on()
        self.assertEqual("False", script.line())
        self.assertIn("the console is not whole: ", script.line())
        self.assertEqual(0, script.ended())
        self.assertEqual(five, self.texts("full"))
        self.assertEqual("done", self.record("full")["status"])
        result = self.sync()
        self.assertEqual((1, five), (result.returncode, self.texts("full")), result.stdout)
        self.assertIn("the console is not whole: ", result.stdout)
        self.quota("none")
        self.sync_until_sent()
        self.assertEqual(ten, self.texts("full"))


if __name__ == "__main__":
    unittest.main()

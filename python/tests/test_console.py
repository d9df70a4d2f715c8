"""What a process prints and logs: kept line by line, sent once, and never in the way."""

from __future__ import annotations

import subprocess
import textwrap
import unittest

from scripts import Scripts

from lossless._console.line_maker import LineMaker
from lossless._console.secrets import masked


class LinesOfAStream(unittest.TestCase):
    def texts(self, *written: str) -> list[str]:
        maker = LineMaker()
        return [line.text for each in written for line in maker.feed(each)]

    def test_lines_end_where_they_end(self) -> None:
        self.assertEqual(["ab", "", "c"], self.texts("a", "b\n\nc", "\n", "d"))

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


if __name__ == "__main__":
    unittest.main()

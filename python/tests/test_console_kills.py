"""
kill -9 of script, sender and service while a script prints: every line whose print has returned is
stored, once, in order, as it was printed. LOSSLESS_TEST_KILLS=100 makes it longer.
"""

from __future__ import annotations

import os
import random
import sys
import time
import unittest
from pathlib import Path

from scripts import Scripts

_ROUNDS = int(os.environ.get("LOSSLESS_TEST_KILLS", "3"))
# Prints until it is killed; the witness knows how many prints have returned.
_PRINTING = """
    import os, sys, lossless
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    run = lossless.init(slug=sys.argv[1])
    witness = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in range(10_000_000):
        print(f"line {number}", "é🙂" * (number % 7), sep="|", file=(sys.stdout, sys.stderr)[number % 3 == 2])
        os.write(witness, b".")
        if number % 50 == 49:
            import time; time.sleep(0.005)
    """
# A fault as it could be made: lines wait in memory until there are some of them.
_BUFFERED = """
    import lossless._console.capture as capture
    class Buffered:
        waiting = b""
        def __getattr__(self, name): return getattr(os, name)
        def write(self, number, line):
            Buffered.waiting += line
            if len(Buffered.waiting) > 2_000:
                os.write(number, Buffered.waiting); Buffered.waiting = b""
            return len(line)
    import os
    capture.os = Buffered()
    """


def line(number: int) -> tuple[str, str]:
    return "stderr" if number % 3 == 2 else "stdout", f"line {number}|{'é🙂' * (number % 7)}"


def wrong(lines: list[tuple[str, str]], returned: int) -> str | None:
    """Says what is wrong with the stored lines of a script; so many prints have returned."""
    for number, found in enumerate(lines):
        if found != line(number):
            return f"line {number} is {found}"
    # The print during which it was killed may be there or not.
    return None if returned <= len(lines) <= returned + 1 else f"{len(lines)} lines of {returned}"


class ConsoleUnderKills(Scripts):
    def test_no_line_is_lost_doubled_or_out_of_order(self) -> None:
        seed = random.SystemRandom().randrange(10**6)
        print(f"kills with seed {seed}", file=sys.stderr)
        choose = random.Random(seed)
        for number in range(_ROUNDS):
            slug = f"kills/{seed}/{number}"
            self.assertIsNone(self.campaign(slug, _PRINTING, choose), f"seed {seed}, round {number}")
            self.assertEqual([], self.spools())

    def test_the_checker_notices_lines_that_are_lost_doubled_or_swapped(self) -> None:
        good = [line(number) for number in range(10)]
        self.assertIsNone(wrong(good, 10))
        self.assertIsNone(wrong(good, 9))
        for bad in (good[:-1], [*good, line(10), line(11)], [*good[:5], *good[4:]], [*good[:3], *good[4:]]):
            self.assertIsNotNone(wrong(bad, 10))
        self.assertIsNotNone(wrong([good[1], good[0], *good[2:]], 10))
        self.assertIsNotNone(wrong([(stream, text.replace("é", "e")) for stream, text in good], 10))

    def test_the_checker_notices_a_spool_that_gets_lines_later(self) -> None:
        self.assertIsNotNone(self.campaign("planted", _BUFFERED + _PRINTING, random.Random(1)))

    def campaign(self, slug: str, script_text: str, choose: random.Random) -> str | None:
        """Returns what is wrong after some kills."""
        witness = Path(self.service.directory) / f"witness-{slug.replace('/', '-')}"
        script = self.started(script_text, slug, str(witness))
        self.until(lambda: witness.exists() and witness.stat().st_size > 100, "it prints")
        for kill in choose.sample(["sender", "sender", "service", "nothing"], 4):
            time.sleep(choose.random() * 0.4)
            if kill == "sender":
                self.kill_senders()
            elif kill == "service":
                self.service.kill()
                time.sleep(choose.random() * 0.3)
                self.service.start()
        script.kill()
        self.sync_until_sent()
        return wrong(self.lines(slug), witness.stat().st_size)

    def lines(self, slug: str) -> list[tuple[str, str]]:
        """The lines of the script, without what this package says in it."""
        found: list[tuple[str, str]] = []
        first = 0
        while True:
            page = self.service.console(slug, first=first)
            found += [(each["stream"], each["text"]) for each in page["lines"]]
            first = page["next"]
            if first >= page["total"]:
                return [each for each in found if not each[1].startswith("lossless: ")]


if __name__ == "__main__":
    unittest.main()

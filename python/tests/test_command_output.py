"""Output that cannot be written does not stop a command."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from scripts import Scripts

_OFFLINE = """
    import sys
    import lossless
    for number in range(3):
        run = lossless.init("said", id=f"{sys.argv[1]}-{number}", mode="offline", dir=sys.argv[2] or None)
        run.log({"x": 1.0})
        run.finish(quiet=True)
"""


class CommandOutput(Scripts):
    def command(self, words: list[str], out: int, **variables: str) -> int:
        return subprocess.run(
            [sys.executable, "-m", "lossless", *words],
            env=self.environment(**variables),
            stdout=out,
            stderr=out,
            timeout=120,
        ).returncode

    def expect_sent(self, name: str) -> None:
        for number in range(3):
            self.assertEqual(1, len(self.service.points(f"said/{name}-{number}")["x"]))

    def test_nobody_reads_it(self) -> None:
        self.good_file(_OFFLINE, "pipe", "")
        read, write = os.pipe()
        os.close(read)
        self.assertEqual(0, self.command(["sync", "--list"], write))
        self.assertEqual(0, self.command(["sync"], write))
        os.close(write)
        self.expect_sent("pipe")

    @unittest.skipUnless(sys.platform == "linux", "there is no /dev/full")
    def test_it_is_full(self) -> None:
        self.good_file(_OFFLINE, "full", "")
        with open("/dev/full", "wb") as full:
            self.assertEqual(0, self.command(["sync"], full.fileno()))
        self.expect_sent("full")

    def test_the_terminal_has_no_such_characters(self) -> None:
        spool = str(self.service.directory / "größe")
        self.good_file(_OFFLINE, "ascii", spool)
        listed = self.sync("--list", spool, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
        self.assertEqual((0, 3), (listed.returncode, listed.stdout.count("gr\\xf6\\xdfe")), listed.stderr)
        sent = self.sync(spool, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
        self.assertEqual(0, sent.returncode, sent.stderr)
        self.expect_sent("ascii")

    @unittest.skipUnless(sys.platform == "linux", "names are bytes there")
    def test_directories_in_another_locale(self) -> None:
        """Where it waits is known in each locale, whatever that makes of the name."""
        utf8 = {"PYTHONUTF8": "1", "LOSSLESS_SPOOL": ""}
        self.good_file(_OFFLINE, "locale", str(self.service.directory / "wärme"), **utf8)
        other = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LOSSLESS_SPOOL": ""}
        sent = self.sync(**other)
        self.assertEqual(0, sent.returncode, sent.stderr)
        self.expect_sent("locale")

    @unittest.skipUnless(sys.platform == "linux", "links")
    def test_one_directory_cannot_be_read(self) -> None:
        loop = self.service.directory / "loop"
        loop.symlink_to(loop)
        known = self.service.directory / "unreadable" / "lossless" / "spools"
        known.parent.mkdir(parents=True)
        known.write_text(f"{loop}\n{self.service.directory / 'beside'}\n")
        places = {"LOSSLESS_SPOOL": "", "XDG_STATE_HOME": str(self.service.directory / "unreadable")}
        self.good_file(_OFFLINE, "beside", str(self.service.directory / "beside"), **places)
        sent = self.sync(**places)
        self.assertEqual(1, sent.returncode)
        self.assertIn(f"{loop} cannot be read and is skipped", sent.stderr)
        self.expect_sent("beside")

    def test_events_of_tensorboard(self) -> None:
        root = Path(self.service.directory, "events", "größe")
        root.mkdir(parents=True)
        result = subprocess.run(
            [sys.executable, "-m", "lossless", "import", "tensorboard", str(root)],
            env=self.environment(PYTHONIOENCODING="ascii", PYTHONUTF8="1"),
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertIn("there are no event files below", result.stdout)
        self.assertEqual("", result.stderr)


if __name__ == "__main__":
    unittest.main()

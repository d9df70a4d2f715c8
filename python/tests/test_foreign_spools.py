"""Spools that another user has placed are not sent, and get no key."""

from __future__ import annotations

import json
import os
import socket
import threading
import unittest
import warnings
import zlib
from pathlib import Path
from typing import Any
from unittest import mock

from scripts import Scripts
from service import KEY

from lossless._ground import warning
from lossless._ground.settings import settings_of

_SOMEBODY = 12_345


class _Attacker:
    """Listens at the address in the recording; a request to it would show a key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._is_over = False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.heard = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        # Earlier connections are accepted before this one.
        self._is_over = True
        socket.create_connection(self._socket.getsockname()).close()
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            connection.settimeout(10)
            said = connection.recv(65_536)
            connection.close()
            # A recording of other tests may still call whoever had this port before.
            self.heard += self._key in said
            if not said and self._is_over:
                return


class ForeignSpools(Scripts):
    def setUp(self) -> None:
        self.victim = f"victim/{self._testMethodName}"
        self.attacker = _Attacker(self.service.key)
        self.temporary = self.service.directory / f"{self._testMethodName}-tmp"
        self.temporary.mkdir()
        self.fallback = self.temporary / f"lossless-{os.getuid()}"

    def test_the_fallback_was_made_by_another(self) -> None:
        """Another user made the directory first; without root it is one that all may write into."""
        for url, slug in ((self.attacker.url, "x"), (self.service.url, self.victim)):
            self.plant(self.fallback / "spool", url, slug, slug[:1])
        self.give_away(self.fallback)
        for words in ({}, {"LOSSLESS_URL": ""}):
            result = self.sync_usual(**words)
            self.assertIn("left alone", result.stderr)
            self.assertIn(str(self.fallback), result.stderr)
            self.assertNotIn("points stored", result.stdout)
        self.assert_nothing_was_sent()

    def test_the_fallback_is_ours_and_is_sent(self) -> None:
        self.plant(self.fallback / "spool", self.service.url, "own-fallback")
        self.fallback.chmod(0o700)
        self.assertEqual(0, self.sync_usual().returncode)
        self.assertEqual("error", self.record("own-fallback")["status"])

    def test_a_recording_of_another_in_our_directory(self) -> None:
        """A recording that all may write into is refused as well, and so is a link."""
        root = self.service.directory / self._testMethodName
        given = self.plant(root, self.service.url, self.victim, "a")
        self.give_away(given)
        elsewhere = self.plant(self.temporary, self.service.url, self.victim, "b")
        (root / "linked").symlink_to(elsewhere)
        open_to_all = self.plant(root, self.service.url, self.victim, "c")
        open_to_all.chmod(0o777)
        own = self.plant(root, self.service.url, "own-run", "d")
        result = self.sync()
        for each in (given, root / "linked", open_to_all):
            self.assertIn(f"left alone: {each} ", result.stderr)
        self.assertEqual(1, result.returncode)
        self.assertIn(f"{own.name}: 0 points stored", result.stdout)
        self.assertEqual("error", self.record("own-run")["status"])
        for each in (given, open_to_all):
            self.assertEqual(1, self.sync(str(each)).returncode)
        self.assert_nothing_was_sent()

    def test_files_within_that_lead_elsewhere(self) -> None:
        root = self.service.directory / self._testMethodName
        foreign = self.plant(self.temporary, self.service.url, self.victim)
        for number, name in enumerate(("run.json", "events-000001.log", "state.json")):
            for kind in ("link", "pipe"):
                spool = self.plant(root, self.service.url, self.victim, f"{kind}-{number}")
                (spool / name).unlink(missing_ok=True)
                if kind == "link":
                    (foreign / "state.json").write_text("{}")
                    (spool / name).symlink_to(foreign / name)
                elif name != "run.json":
                    # With a pipe as run.json it is no recording.
                    os.mkfifo(spool / name)
                self.assertEqual(1, self.sync(str(spool)).returncode, (kind, name))
        self.assert_nothing_was_sent()

    def test_a_file_of_another_within(self) -> None:
        root = self.service.directory / self._testMethodName
        spool = self.plant(root, self.service.url, self.victim)
        log = spool / "events-000001.log"
        if os.getuid() == 0:
            os.chown(log, _SOMEBODY, _SOMEBODY)
        else:
            log.rename(spool / "theirs")
            log.symlink_to(spool / "theirs")
        self.assertEqual(1, self.sync().returncode)
        self.assert_nothing_was_sent()

    def test_a_directory_of_another_around_it(self) -> None:
        """The owner of the outer directory could replace the recording while it is sent."""
        root = self.service.directory / self._testMethodName
        self.plant(root, self.service.url, self.victim)
        self.give_away(root, is_deep=False)
        result = self.sync()
        self.assertIn(f"left alone: {root} ", result.stderr)
        self.assertEqual(1, result.returncode)
        self.assert_nothing_was_sent()

    def test_a_key_goes_to_no_address_that_only_a_file_names(self) -> None:
        """A recording of our own may still have been copied from elsewhere."""
        root = self.service.directory / self._testMethodName
        self.plant(root, self.attacker.url, self.victim)
        for variables in ({}, {"LOSSLESS_URL": ""}):
            result = self.sync(**variables)
            self.assertEqual(1, result.returncode)
            self.assertIn(f"recorded for {self.attacker.url}", result.stdout)
        self.assert_nothing_was_sent()
        self.assertEqual(0, self.sync("--url", self.service.url, LOSSLESS_URL="").returncode)
        self.assertEqual("error", self.record(self.victim)["status"])

    # ---- the attacker's and the victim's parts

    def plant(self, root: Path, url: str, slug: str, name: str = "a") -> Path:
        """A recording, as any process can write it."""
        spool = root / f"20260101-000000-{name}"
        spool.mkdir(parents=True)
        spool.chmod(0o700)
        content = {"url": url, "slug": slug, "folder": None, "prefix": name * 8, "is_primary": True}
        (spool / "run.json").write_text(json.dumps({**content, "created_at_ms": 1, "format": 1}))
        lines = ('["o",{}]', '["s"]')
        (spool / "events-000001.log").write_text("".join(f"{zlib.crc32(line.encode()):08x} {line}\n" for line in lines))
        return spool

    def give_away(self, path: Path, is_deep: bool = True) -> None:
        if os.getuid() != 0:
            return path.chmod(0o777)
        for each in [path, *(path.rglob("*") if is_deep else ())]:
            os.chown(each, _SOMEBODY, _SOMEBODY)

    def sync_usual(self, **variables: str) -> Any:
        """Syncs without a named spool: all that this machine knows."""
        home = str(self.service.directory / f"{self._testMethodName}-state")
        return self.sync(LOSSLESS_SPOOL="", TMPDIR=str(self.temporary), XDG_STATE_HOME=home, **variables)

    def assert_nothing_was_sent(self) -> None:
        self.attacker.close()
        self.assertEqual(0, self.attacker.heard)
        self.assertEqual("experiment_not_found", self.record(self.victim).get("code"))


class KeysInTheClear(unittest.TestCase):
    def told(self, url: str, key: str | None = KEY) -> list[str]:
        with (
            mock.patch.object(warning, "_told", set()),
            mock.patch.dict(os.environ, {"LOSSLESS_API_KEY": key or "", "XDG_CONFIG_HOME": "/nowhere"}),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            for _ in range(2):
                settings_of(url)
        return [str(each.message) for each in caught]

    def test_told_once_for_another_machine(self) -> None:
        [text] = self.told("http://tracker.example:7070")
        self.assertIn("http://tracker.example:7070 over plain http", text)

    def test_not_where_nobody_else_can_read_it(self) -> None:
        for url in ("https://tracker.example", "http://127.0.0.1:7070", "http://localhost", "http://[::1]:80"):
            self.assertEqual([], self.told(url), url)
        self.assertEqual([], self.told("http://tracker.example", None))


if __name__ == "__main__":
    unittest.main()

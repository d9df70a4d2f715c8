"""Restores interrupted while the new directory replaces the old one: at each step, by anybody."""

from __future__ import annotations

import io
import os
import shutil
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from test_artifacts import Case, told
from without_locks import without_locks

import lossless
from lossless._artifacts import restore, restore_directory
from lossless._ground import held_directory

_NEW = {"a": b"new a", "sub/w": b"new w"}


class Moves(Case):
    def setUp(self) -> None:
        super().setUp()
        lossless.save_artifact(self.files(a=_NEW["a"], sub__w=_NEW["sub/w"]), self.artifact)
        self.back = self.directory / "back"
        self.back.mkdir()
        (self.back / "old").write_bytes(b"precious")

    def hidden(self) -> list[Path]:
        return list(self.directory.glob(".back.lossless-load-*"))

    def interrupted(self, where: Any, name: str, is_there: Callable[..., bool], is_done: bool = False) -> None:
        """Presses Ctrl-C at the first call for which `is_there` holds, before or after its work."""
        real, times = getattr(where, name), [0]

        def interrupting(*words: Any, **more: Any) -> Any:
            is_now = times[0] == 0 and is_there(*words)
            times[0] += is_now
            if is_now and not is_done:
                raise KeyboardInterrupt
            result = real(*words, **more)
            if is_now:
                raise KeyboardInterrupt
            return result

        with mock.patch.object(where, name, interrupting), self.assertRaises(KeyboardInterrupt):
            lossless.load_artifact(self.artifact, self.back, replace=True)
        self.assertEqual(1, times[0])

    def test_ctrl_c_while_it_is_fetched_says_how_to_go_on(self) -> None:
        said = io.StringIO()
        with mock.patch.object(sys, "stderr", said):
            self.interrupted(restore.Restore, "_fetch_range", lambda _self, range: range.file == 1, is_done=True)
        self.assertEqual(
            f"lossless: {self.artifact} was not restored completely; run it again to resume\n", said.getvalue()
        )
        self.assertTrue(lossless.load_artifact(self.artifact, self.back, replace=True).resumed)

    def loads_anew(self) -> None:
        loaded = lossless.load_artifact(self.artifact, self.back, replace=True)
        self.assertEqual((False, True), (loaded.resumed, loaded.verified))
        self.assertEqual(_NEW, self.contents(self.back))
        self.assertEqual([], self.hidden())

    def test_while_the_old_directory_is_removed(self) -> None:
        self.interrupted(held_directory.shutil, "rmtree", lambda *_: True)
        self.assertEqual(_NEW, self.contents(self.back))
        self.loads_anew()

    def test_while_the_new_name_is_made_sure_of(self) -> None:
        self.interrupted(restore_directory, "_sync", lambda path: path == str(self.directory))
        self.assertEqual(_NEW, self.contents(self.back))
        self.loads_anew()

    def test_nothing_outside_is_written_through_a_link_of_the_old_directory(self) -> None:
        outside = self.directory / "outside"
        outside.mkdir()
        (outside / "w").write_bytes(b"elsewhere")
        (self.back / "sub").symlink_to(outside)
        self.interrupted(held_directory.shutil, "rmtree", lambda *_: True)
        self.loads_anew()
        self.assertEqual({"w": b"elsewhere"}, self.contents(outside))

    def test_nothing_goes_on_in_a_directory_with_links(self) -> None:
        outside = self.directory / "outside"
        outside.mkdir()
        self.interrupted(restore.Restore, "_fetch_range", lambda _, range: range.file == 0, True)
        content = self.hidden()[0] / "content"
        shutil.rmtree(content / "sub", ignore_errors=True)
        (content / "sub").symlink_to(outside)
        self.loads_anew()
        self.assertEqual({}, self.contents(outside))

    @unittest.skipUnless(sys.platform == "linux", "/proc tells which file is locked")
    def test_it_goes_on_where_the_file_system_has_no_locks(self) -> None:
        with without_locks(self.directory):
            self.interrupted(restore.Restore, "_fetch_range", lambda _, range: range.file == 0, True)
            self.assertEqual(1, len(self.hidden()))
            self.assertTrue(lossless.load_artifact(self.artifact, self.back, replace=True).resumed)
        self.assertEqual(_NEW, self.contents(self.back))
        self.assertEqual([], self.hidden())

    def test_between_two_renames(self) -> None:
        """The old directory has its name again at once."""
        for is_done in (False, True):
            with self.subTest(is_done=is_done), mock.patch.object(restore_directory, "_exchanged", return_value=False):
                self.interrupted(os, "rename", lambda _, after: str(after).endswith("replaced"), is_done)
                self.assertEqual({"old": b"precious"}, self.contents(self.back))
                self.assertEqual([], self.hidden())

    def test_after_the_second_rename(self) -> None:
        with mock.patch.object(restore_directory, "_exchanged", return_value=False):
            self.interrupted(os, "rename", lambda _, after: after == self.back, is_done=True)
        self.assertEqual(_NEW, self.contents(self.back))
        self.assertEqual([], self.hidden())

    def load_while_somebody_takes_the_name(self, error: type[BaseException] | None) -> None:
        rename = os.rename

        def raced(before: Any, after: Any) -> None:
            rename(before, after)
            if str(after).endswith("replaced"):
                self.back.mkdir()
                (self.back / "log.txt").write_bytes(b"of a training that goes on")
                if error is not None:
                    raise error

        with mock.patch.object(restore_directory, "_exchanged", return_value=False):
            with mock.patch.object(os, "rename", raced):
                lossless.load_artifact(self.artifact, self.back, replace=True)

    def test_another_takes_the_name_between_two_renames(self) -> None:
        with self.assertRaises(lossless.LosslessError) as caught:
            self.load_while_somebody_takes_the_name(None)
        aside = self.hidden()[0] / "replaced"
        self.assertIn(str(aside), str(caught.exception))
        self.assertEqual({"old": b"precious"}, self.contents(aside))
        self.assertEqual({"log.txt": b"of a training that goes on"}, self.contents(self.back))
        # The next restore keeps it, too, and where the name is free, gives it back.
        with told():
            lossless.load_artifact(self.artifact, self.back, replace=True)
        self.assertEqual({"old": b"precious"}, self.contents(aside))
        os.rename(self.back, self.directory / "elsewhere")
        with self.assertRaisesRegex(lossless.LosslessError, "not empty"):
            lossless.load_artifact(self.artifact, self.back)
        self.assertEqual({"old": b"precious"}, self.contents(self.back))

    def test_it_is_told_where_what_was_there_is_after_an_interruption(self) -> None:
        with told() as warnings, self.assertRaises(KeyboardInterrupt):
            self.load_while_somebody_takes_the_name(KeyboardInterrupt)
        aside = self.hidden()[0] / "replaced"
        self.assertEqual({"old": b"precious"}, self.contents(aside))
        self.assertIn(str(aside), warnings.getvalue())


if __name__ == "__main__":
    unittest.main()

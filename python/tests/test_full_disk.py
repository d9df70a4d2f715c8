"""On a full disk everything that `log` accepted reaches the service, exactly once."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
import textwrap
import unittest
import unittest.mock
from collections import Counter
from pathlib import Path
from typing import Any

from scripts import Over, Scripts

from lossless._recording.kept_lines import KeptLines
from lossless._sending.sender import Sender
from lossless._spool import sent_state
from lossless._spool.head import RunInfo, segment_path, segments
from lossless._spool.sent_state import State, read_state, write_state
from lossless._spool.spool import SpoolWriter
from lossless._values.records import records_in

# In the training's process, writes into the spool fail as the script says, the first one after a
# part of its line; what the sender writes does not.
_DISK = """
    import os, sys, time, lossless, warnings
    warnings.simplefilter("ignore")
    write, make, failing, half = os.write, os.open, [], []
    def is_spool(number):
        return "events-" in os.readlink(f"/proc/self/fd/{number}")
    def failing_write(number, data):
        if failing and is_spool(number):
            if half:
                return write(number, data[: half.pop()])
            raise OSError(failing[0], "the disk takes nothing")
        return write(number, data)
    def failing_open(path, flags, mode=0o777, **others):
        if failing and flags & os.O_CREAT and os.environ["LOSSLESS_SPOOL"] in os.fspath(path):
            raise OSError(failing[0], "the disk takes nothing")
        return make(path, flags, mode, **others)
    os.write, os.open = failing_write, failing_open
    def full(number):
        failing[:], half[:] = [number], [7]
    def logged(run, steps):
        for step in steps:
            run.log({"x": step / 7, "bad": float("nan")} if step % 10 == 0 else {"x": step / 7}, step=step)
            if step % 25 == 0:
                run.annotate("the same again")
    """


def _with_disk(text: str) -> str:
    return textwrap.dedent(_DISK) + textwrap.dedent(text)


class FullDisk(Scripts):
    def check(self, slug: str, steps: int, status: str = "done") -> None:
        self.assertEqual([(step, step / 7) for step in range(steps)], self.stored(slug, "x"))
        found = Counter(one["annotation"] for one in self.service.annotations(slug))
        self.assertEqual((steps + 24) // 25, found.pop("the same again"))
        self.assertEqual({f"bad is NaN at step {step}": 1 for step in range(0, steps, 10)}, dict(found))
        self.assertEqual(status, self.record(slug)["status"])

    def test_from_some_moment_on(self) -> None:
        """Full, over the quota, read-only, broken: the sender gets the lines from memory."""
        for number in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO):
            slug = f"full/{number}"
            with self.subTest(slug):
                result = self.script(
                    _with_disk(
                        """
                    run = lossless.init(id=sys.argv[1])
                    logged(run, range(100))
                    full(int(sys.argv[2]))
                    logged(run, range(100, 600))
                    report = run.finish(timeout=120)
                    print(report.is_complete, report.stored, report.annotations, report.lost, report.damaged)
                    """
                    ),
                    slug,
                    str(number),
                )
                self.assertEqual("True 600 84 0 0", result.stdout.strip(), result.stderr)
                self.check(slug, 600)
                self.assertEqual([], self.spools())

    def test_for_a_while(self) -> None:
        """Some lines go through memory, others through the disk before, between and after."""
        self.script(
            _with_disk(
                """
            run = lossless.init(id="a while")
            for begin in range(0, 1200, 200):
                if begin % 400:
                    full(28)
                else:
                    failing.clear()
                for some in range(begin, begin + 200, 20):
                    logged(run, range(some, some + 20))
                    time.sleep(0.05)
            assert run.finish(timeout=120).is_complete
            """
            )
        )
        self.check("a while", 1200)
        self.assertEqual([], self.spools())

    def test_a_sender_that_dies_with_lines_in_its_memory(self) -> None:
        script = self.started(
            _with_disk(
                """
            run = lossless.init(id="deaths")
            logged(run, range(100))
            full(28)
            for some in range(100, 1000, 20):
                logged(run, range(some, some + 20))
                if some % 100 == 0:
                    print(some, flush=True); input()
            print(run.finish(quiet=True, timeout=120).stored)
            """
            )
        )
        while (line := script.line()) != "1000":
            self.assertTrue(line, "the script goes on")
            self.kill_senders()
            script.go_on()
        self.assertEqual(0, script.ended())
        self.check("deaths", 1000)
        self.assertEqual([], self.spools())

    def test_a_script_that_dies_with_lines_in_the_sender(self) -> None:
        """Lines handed to the sender are sent, and the status says how the script ended."""
        script = self.started(
            _with_disk(
                """
            run = lossless.init(id="killed")
            logged(run, range(100))
            full(28)
            logged(run, range(100, 300))
            while run._recorder._lines._kept or run._recorder._lines._given_to._out:
                time.sleep(0.01); run._recorder.write_kept()
            print("logged"); input()
            """
            )
        )
        self.assertEqual("logged", script.line())
        script.kill()
        self.until(lambda: self.record("killed")["status"] == "error", "its sender ends it")
        self.check("killed", 300, "error")

    def test_without_a_service_what_is_lost_is_told(self) -> None:
        """The sender keeps its lines: when the service is back, nothing is missing."""
        self.service.stop()
        self.addCleanup(self.service.start_if_ended)  # type: ignore[attr-defined]
        result = self.script(
            _with_disk(
                """
            run = lossless.init(id="away")
            logged(run, range(100))
            full(28)
            logged(run, range(100, 300))
            report = run.finish(timeout=1.0)
            print(report.is_complete, report.lost, report.lost_unless_sent)
            """
            )
        )
        self.assertEqual("False 228 228", result.stdout.strip())
        self.assertIn("228 points LOST", result.stderr)
        self.assertIn("not lost if the service answers", result.stderr)
        self.service.start()
        self.until(lambda: not self.spools(), "its sender sends all of it")
        self.check("away", 300)

    def test_a_forked_child(self) -> None:
        """The child cannot make a directory: it records elsewhere, and says where."""
        with tempfile.TemporaryDirectory() as temporary:
            self.script(
                _with_disk(
                    """
                run = lossless.init(id="fork")
                logged(run, range(100))
                full(28)
                logged(run, range(100, 200))
                child = os.fork()
                if not child:
                    run.log({"child": 1.0}, step=7)
                    os._exit(0 if run.finish(quiet=True, timeout=120).is_complete else 1)
                assert os.waitpid(child, 0)[1] == 0
                assert run.finish(timeout=120).is_complete
                """
                ),
                TMPDIR=temporary,
            )
        self.check("fork", 200)
        self.assertEqual([(7, 1.0)], self.stored("fork", "child"))

    def test_pictures_wait_for_room(self) -> None:
        self.script(
            _with_disk(
                """
            run = lossless.init(id="pictures")
            run.log({"t": lossless.Table(["a"], [[1]])}, step=0)
            full(28)
            run.log({"t": lossless.Table(["a"], [[2]])}, step=1)
            failing.clear()
            run.log({"t": lossless.Table(["a"], [[3]])}, step=2)
            report = run.finish(timeout=120)
            assert report.is_complete and not report.refused, report
            """
            )
        )
        notes = [one["meta"]["_media"]["step"] for one in self.service.annotations("pictures")]
        self.assertEqual([0, 1, 2], sorted(notes))

    def test_a_disk_of_one_mebibyte(self) -> None:
        """A real one, where this may be made: the spool alone fills it, and what is sent leaves."""
        with _small_disk() as directory:
            result = self.script(
                """
                import lossless, warnings; warnings.simplefilter("ignore")
                run = lossless.init(id="small")
                for step in range(15_000):
                    run.log({"x": step / 7, "y": float(step), "z": 1.0}, step=step)
                report = run.finish(timeout=200)
                print(report.is_complete, report.stored, report.lost)
                """,
                LOSSLESS_SPOOL=directory,
            )
        self.assertEqual("True 45000 0", result.stdout.strip(), result.stderr)
        self.assertEqual([(step, step / 7) for step in range(15_000)], self.stored("small", "x"))
        self.assertEqual("done", self.record("small")["status"])

    def test_a_state_that_could_not_be_written_is_not_believed(self) -> None:
        """On a disk that became read-only a sender before may have sent more than it says."""
        for writes in (0, 1, 3, 5, 8, 12, 20):
            slug = f"stale/{writes}"
            with self.subTest(slug):
                self.script(
                    """
                    import lossless, sys
                    run = lossless.init(id=sys.argv[1], mode="offline")
                    for step in range(60):
                        run.log({"x": step / 7, "bad": float("nan")} if step % 10 == 0 else {"x": step / 7}, step=step)
                        if step % 25 == 0:
                            run.annotate("the same again")
                    run.finish(quiet=True)
                    """,
                    slug,
                )
                [spool] = self.spools()
                disk = _ReadOnlyFrom(writes)
                with (
                    unittest.mock.patch("lossless._sending.progress.write_state", disk.write_state),
                    unittest.mock.patch("lossless._sending.sender._GROUP_BYTES", 600),
                ):
                    for again in range(3):
                        if again == 2:
                            # The disk becomes writable again.
                            disk.writes = 1_000
                        sender = Sender(spool, lambda: self.service.key, None, Over(), self.service.url)
                        sender.run()
                        self.assertEqual((60, 0), (sender.state.stored, sender.state.refused))
                self.check(slug, 60)
                shutil.rmtree(spool)


class _ReadOnlyFrom:
    """A disk that accepts a number of states, and none after them."""

    def __init__(self, writes: int) -> None:
        self.writes = writes

    def write_state(self, directory: Path, state: State) -> None:
        if not self.writes:
            raise OSError(errno.EROFS, "read-only")
        self.writes -= 1
        write_state(directory, state)


class _small_disk:
    """A file system of 1 MiB where this user may make one, else a directory of the usual one."""

    def __enter__(self) -> str:
        self._directory = tempfile.mkdtemp()
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self._directory]
        self._is_mounted = subprocess.run(command, capture_output=True).returncode == 0
        return self._directory

    def __exit__(self, *_: Any) -> None:
        if self._is_mounted:
            subprocess.run(["umount", "-l", self._directory], check=True)
        os.rmdir(self._directory)


class Kept(unittest.TestCase):
    """Lines and state on a full disk, without a service."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def test_without_a_sender_they_wait_for_room(self) -> None:
        """Lines without room are counted, each as a whole."""
        spool = SpoolWriter(self.root, RunInfo("http://127.0.0.1:1", "x", None, "p" * 16, True, 0))
        self.addCleanup(spool.close)
        told: list[OSError] = []
        kept = KeptLines(spool, told.append, lambda _points: None)
        with unittest.mock.patch("os.write", side_effect=OSError(errno.ENOSPC, "full")):
            for number in range(10):
                kept.append(f'["m",{number},0,0,{{"x":1,"y":2}},null]', 2)
        self.assertEqual(1, len(told))
        self.assertTrue(kept.write_kept())
        content = segment_path(spool.directory, 1).read_bytes()
        found = [record[1] for _, record in records_in(content) if record is not None and record[0] == "m"]
        self.assertEqual(list(range(10)), found)
        with unittest.mock.patch("os.write", side_effect=OSError(errno.ENOSPC, "full")):
            kept.append('["m",10,0,0,{"x":1,"y":2},null]', 2)
            kept.append('["a","note",{}]', 1)
            kept.append('["d"]', 0)
            self.assertFalse(kept.write_kept())
        kept.give_up()
        self.assertEqual(3, kept.lost)
        self.assertEqual([1], segments(spool.directory))

    def test_a_state_is_written_over_where_there_is_no_room_for_another(self) -> None:
        write_state(self.root, State(offset=1, problem="a longer text that is not there any more"))
        with self.full():
            write_state(self.root, State(offset=22))
        self.assertEqual(State(offset=22), read_state(self.root))

    def test_a_state_that_has_no_room_is_emptied(self) -> None:
        """A stale one would have notes sent twice; an empty one has each looked up."""
        write_state(self.root, State(offset=1))
        with self.full(), unittest.mock.patch("os.write", return_value=3):
            write_state(self.root, State(offset=22))
        self.assertEqual(State(is_rebuilt=True), read_state(self.root))

    def full(self) -> Any:
        return unittest.mock.patch.object(sent_state, "write_whole", side_effect=OSError(errno.ENOSPC, "full"))


if __name__ == "__main__":
    unittest.main()

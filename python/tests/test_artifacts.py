"""Artifacts through the real service, the command line on the other side, and stores that fail."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from service import ROOT, WithService, node

import lossless
from lossless._artifacts import stored_files, versions
from lossless._artifacts import upload as _upload
from lossless._artifacts.checksums import checksums_in, with_checksums
from lossless._artifacts.crc32 import joined_crc32
from lossless._artifacts.file_names import check_target_names, clashing_names, file_name_problem
from lossless._artifacts.prepared_files import prepared_bytes
from lossless._artifacts.stores import StoreConnections

MEBI = 2**20


def told() -> contextlib.AbstractContextManager[Any]:
    """Catches what is printed: notices are warnings, and here warnings are errors."""
    return contextlib.redirect_stderr(io.StringIO())


class Case(WithService):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="lossless-artifacts-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        for name in [name for name in os.environ if name.startswith("LOSSLESS_")]:
            self.variable(name, None)
        self.variable("LOSSLESS_URL", self.service.url)
        self.variable("LOSSLESS_API_KEY", self.service.key)
        self.variable("XDG_STATE_HOME", str(self.directory / "state"))
        self.artifact = f"tests/{self._testMethodName}"

    def variable(self, name: str, value: str | None) -> None:
        before = os.environ.get(name)

        def put(value: str | None) -> None:
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

        put(value)
        self.addCleanup(put, before)

    def files(self, **contents: bytes) -> Path:
        root = self.directory / "model"
        for name, content in contents.items():
            path = root / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return root

    def contents(self, root: Path) -> dict[str, bytes]:
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def records(self) -> list[Path]:
        return list((self.directory / "state").rglob("*.json"))

    def cli(self, *words: str) -> Any:
        result = subprocess.run(
            [node(), "cli/bin/lossless.js", *words, "--json"], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        self.assertEqual(0, result.returncode, result.stderr)
        return json.loads(result.stdout)


class Artifacts(Case):
    def test_a_reader_lists_them_and_shows_one_with_its_versions(self) -> None:
        slug = "seen by a reader"
        self.service.query("experiment.open", slug=slug, description="", meta={})
        root = self.files(weights=b"weights")
        for name, count in (("seen/a", 1), ("seen/b/c", 2)):
            for step in range(1, count + 1):
                lossless.save_artifact(root, name, step=step, meta={"experiment": slug, "step": step})
        with lossless.Reader() as reader:
            found = [(each["artifact"], each["versions"]) for each in reader.artifacts("seen/")]
            self.assertEqual([("seen/a", 1), ("seen/b/c", 2)], found)
            self.assertEqual("seen/b/c", reader.artifacts(newest=True, limit=1)[0]["artifact"])
            self.assertEqual(["seen/b/c"], [each["artifact"] for each in reader.artifacts("seen/", search="/B/")])
            for limit in (1, None):
                shown = reader.artifact("seen/b/c", limit=limit)
                names = ["000000000002", "000000000001"][:limit]
                self.assertEqual(names, [each["version"] for each in shown["versions"]])
                newest = shown["versions"][0]
                self.assertEqual((slug, 2), (newest["meta"]["experiment"], newest["meta"]["step"]))
                self.assertEqual(slug, (newest["experiment"] or {}).get("slug"))
            with self.assertRaises(lossless.RequestRefused) as refused:
                reader.artifact("seen/none")
            self.assertEqual("not_found", refused.exception.code)

    def test_a_reader_says_how_much_of_an_upload_has_come(self) -> None:
        def post(path: str, **body: Any) -> Any:
            headers = {"authorization": f"Bearer {self.service.key}", "content-type": "application/json"}
            address = f"{self.service.url}/api/v1/{path}"
            request = urllib.request.Request(address, json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)

        place = {"cloud": "here", "region": "there", "source": "a test"}
        epoch = post("artifacts/open?artifact=seen/pending", mode="new", place=place)["epoch"]
        files = [{"name": "sent", "size": 7}, {"name": "rest", "size": 1000}]
        begun = post("versions/begin?artifact=seen/pending&version=1", epoch=epoch, place=place, files=files, meta={})
        part = next(file for file in begun["files"] if file["name"] == "sent")["parts"][0]
        sending = urllib.request.Request(part["url"], b"7 bytes", part["headers"], method="PUT")
        urllib.request.urlopen(sending, timeout=60).close()
        with lossless.Reader() as reader:
            [upload] = reader.artifact("seen/pending")["uploads"]
            sent = reader.sent_bytes("seen/pending", upload["upload"])
            self.assertEqual({"files": 2, "filesSent": 1, "bytes": 1007, "sentBytes": 7}, sent)
            with self.assertRaises(lossless.RequestRefused) as refused:
                reader.sent_bytes("seen/a", upload["upload"])
            self.assertEqual("not_found", refused.exception.code)

    def test_what_was_saved_comes_back(self) -> None:
        """Several parts and ranges, an empty file, a subdirectory; version names count up."""
        big = random.Random(1).randbytes(20 * MEBI + 17)
        root = self.files(big=big, empty=b"", sub__deep__x=b"x" * 1000)
        saved = lossless.save_artifact(root, self.artifact, meta={"epoch": 3})
        self.assertEqual(("000000000001", 3, len(big) + 1000), (saved.version, saved.files, saved.bytes))
        self.assertEqual([], self.records())
        second = lossless.save_artifact(root / "empty", self.artifact)
        self.assertEqual("000000000002", second.version)
        self.assertEqual("000000000500", lossless.save_artifact(root / "empty", self.artifact, step=500).version)
        loaded = lossless.load_artifact(self.artifact, self.directory / "back", saved.version)
        self.assertEqual(self.contents(root), self.contents(loaded.directory))
        self.assertTrue(loaded.verified)
        self.assertEqual(3, loaded.meta["epoch"])
        self.assertEqual({"state", "model", "back"}, set(os.listdir(self.directory)))
        with self.assertRaisesRegex(lossless.LosslessError, "replace=True"):
            lossless.load_artifact(self.artifact, self.directory / "back")
        lossless.load_artifact(self.artifact, self.directory / "back", replace=True)
        self.assertEqual({"empty": b""}, self.contents(self.directory / "back"))
        with self.assertRaises(lossless.RequestRefused) as refused:
            lossless.load_artifact(self.artifact, self.directory / "none", "000000000009")
        self.assertEqual("not_found", refused.exception.code)
        self.assertFalse((self.directory / "none").exists())

    def test_no_home_is_replaced_as_a_whole(self) -> None:
        """Returns whether HOME or the system names this directory."""
        lossless.save_artifact(self.files(a=b"alpha"), self.artifact)
        named, known = self.directory / "named", self.directory / "known"
        for place in (named, known):
            place.mkdir()
            (place / "precious").touch()

        def refused(target: Path, held: Path) -> None:
            with self.assertRaisesRegex(lossless.LosslessError, f"cannot be replaced as a whole: it contains {held}$"):
                lossless.load_artifact(self.artifact, target, replace=True)

        with mock.patch("pwd.getpwuid", lambda _: types.SimpleNamespace(pw_dir=str(known))):
            self.variable("HOME", str(named))
            refused(named, named)
            refused(known, known)
            self.variable("HOME", "")
            refused(known, known)
            refused(self.directory, known)
            lossless.load_artifact(self.artifact, named, replace=True)
        with mock.patch("pwd.getpwuid", side_effect=KeyError):
            lossless.load_artifact(self.artifact, known, replace=True)
        self.assertEqual([["a"], ["a"]], [os.listdir(named), os.listdir(known)])

    def test_the_command_line_reads_ours_and_we_read_its(self) -> None:
        root = self.files(a=b"alpha", sub__b=bytes(range(256)) * 50)
        lossless.save_artifact(root, self.artifact, meta={"by": "python"})
        pulled = self.cli("pull", self.artifact, str(self.directory / "pulled"))
        self.assertTrue(pulled["verified"])
        self.assertEqual(self.contents(root), self.contents(self.directory / "pulled"))
        pushed = self.cli("push", str(root), self.artifact)
        self.assertEqual("000000000002", pushed["version"])
        loaded = lossless.load_artifact(self.artifact, self.directory / "loaded")
        self.assertEqual(("000000000002", True), (loaded.version, loaded.verified))
        self.assertEqual(self.contents(root), self.contents(self.directory / "loaded"))

    def test_so_many_files_that_their_checksums_are_a_file(self) -> None:
        root = self.files(**{f"f{number:060d}": str(number).encode() for number in range(560)})
        saved = lossless.save_artifact(root, self.artifact)
        self.assertEqual(560, saved.files)
        loaded = lossless.load_artifact(self.artifact, self.directory / "loaded")
        self.assertEqual((560, True, ["SHA256SUMS"]), (loaded.files, loaded.verified, list(loaded.meta["sha256"])))
        self.assertEqual(self.contents(root), self.contents(self.directory / "loaded"))
        self.cli("pull", self.artifact, str(self.directory / "pulled"))
        self.assertEqual(self.contents(root), self.contents(self.directory / "pulled"))

    def test_who_is_superseded_stops(self) -> None:
        root = self.files(a=b"a")
        with self.assertRaises(lossless.RequestRefused) as missing:
            lossless.open_artifact(self.artifact, "latest")
        self.assertEqual("not_found", missing.exception.code)
        first = lossless.open_artifact(self.artifact, "new")
        self.assertIsNone(first.latest)
        self.assertEqual("000000000001", first.save(root).version)
        self.assertEqual("000000000002", first.save(root).version)
        second = lossless.open_artifact(self.artifact)
        self.assertEqual("000000000002", second.latest["version"] if second.latest else None)
        for _ in range(2):
            with self.assertRaises(lossless.Superseded) as superseded:
                first.save(root)
            self.assertEqual(second.epoch, superseded.exception.epoch)
        self.assertEqual("000000000003", second.save(root).version)
        fork = lossless.open_artifact(f"{self.artifact}-fork", source=self.artifact)
        self.assertEqual("000000000004", fork.save(root).version)
        with self.assertRaises(lossless.RequestRefused) as after:
            second.save(root, "000000000002")
        self.assertEqual("not_after_latest", after.exception.code)

    def test_a_recording_saves_below_its_name_and_notes_it(self) -> None:
        root = self.files(weights=b"w" * 100)
        run = lossless.init("net", id="first", dir=self.directory / "spool")
        try:
            saved = run.save_artifact(root, "model", step=7)
            self.assertEqual(("net/first/model", "000000000007"), (saved.artifact, saved.version))
            self.assertEqual("net/first/weights", run.save_artifact(root / "weights").artifact)
            lossless.open_artifact("net/first/model")
            for _ in range(2):
                with self.assertRaises(lossless.Superseded):
                    run.save_artifact(root, "model")
            run.save_artifact(root, "model", take_over=True)
        finally:
            run.finish(quiet=True)
        texts = [each["meta"] for each in self.service.annotations("net/first")]
        self.assertEqual(
            ["net/first/model", "net/first/weights", "net/first/model"], [each["artifact"] for each in texts]
        )
        loaded = lossless.load_artifact("net/first/model", self.directory / "back", "000000000007")
        self.assertEqual(("net/first", 7), (loaded.meta["experiment"], loaded.meta["step"]))

    def test_a_save_that_was_killed_goes_on(self) -> None:
        """After kill -9 at the second of four parts, the next process sends what is missing."""
        root = self.files(big=random.Random(2).randbytes(25 * MEBI))
        script = """
            import os, signal, sys
            import lossless
            from lossless._artifacts import upload as _upload
            from lossless._artifacts import upload_record as _upload_record
            _upload_record._SAVE_EVERY_SECONDS = 0
            sent = 0
            send_part = _upload.send_part
            def dying(*words):
                global sent
                if sent == 2:
                    os.kill(os.getpid(), signal.SIGKILL)
                sent += 1
                return send_part(*words)
            _upload.send_part = dying
            lossless.save_artifact(sys.argv[1], sys.argv[2], parallel=1)
        """
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python/src")}
        words = [sys.executable, "-c", textwrap.dedent(script), str(root), self.artifact]
        self.assertEqual(-9, subprocess.run(words, env=environment, capture_output=True, timeout=60).returncode)
        self.assertEqual(1, len(self.records()))
        sent: list[int] = []
        send_part = _upload.send_part

        def counting(connections: Any, file: Any, part: Any, address: Any) -> Any:
            sent.append(part.number)
            return send_part(connections, file, part, address)

        with mock.patch.object(_upload, "send_part", counting):
            saved = lossless.save_artifact(root, self.artifact)
        self.assertEqual([2, 3], sorted(sent))
        self.assertTrue(saved.resumed)
        self.assertEqual([], self.records())
        loaded = lossless.load_artifact(self.artifact, self.directory / "back")
        self.assertEqual(self.contents(root), self.contents(loaded.directory))

    def test_a_forgotten_save_takes_nothing_over(self) -> None:
        root = self.files(a=b"a")
        with mock.patch.object(_upload, "send_part", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                lossless.save_artifact(root, self.artifact)
        lossless.open_artifact(self.artifact, "new")
        with self.assertRaises(lossless.Superseded):
            lossless.save_artifact(root, self.artifact)
        saved = lossless.save_artifact(root, self.artifact, take_over=True)
        self.assertEqual(("000000000001", False), (saved.version, saved.resumed))

    def test_a_lost_reply_to_the_commit(self) -> None:
        root = self.files(a=b"a")
        commit = versions.ArtifactCalls.commit

        def lost(*words: Any) -> Any:
            commit(*words)
            raise lossless.ConnectionFailed("lost")

        with mock.patch.object(versions.ArtifactCalls, "commit", lost):
            with self.assertRaises(lossless.ConnectionFailed):
                lossless.save_artifact(root, self.artifact)
        saved = lossless.save_artifact(root, self.artifact)
        self.assertEqual(("000000000001", True, None), (saved.version, saved.resumed, saved.location))

    def test_refused_addresses_are_renewed_once(self) -> None:
        """A store's 403, 400 or 404 gets fresh addresses for all threads; repeated, it counts."""
        root = self.files(big=bytes(30 * MEBI))
        resign = versions.ArtifactCalls.resign
        for status in (403, 400, 404):
            with self.subTest(status=status):
                resigned: list[int] = []

                def counted(*words: Any) -> Any:
                    resigned.append(1)
                    return resign(*words)

                def refusing(number: int, *_: Any) -> None:
                    if not resigned:
                        raise lossless.StoreFailed("ended", status)

                with mock.patch.object(versions.ArtifactCalls, "resign", counted), _faults(refusing):
                    lossless.save_artifact(root, self.artifact)
                self.assertEqual(1, len(resigned))

        def always(*_: Any) -> None:
            raise lossless.StoreFailed("forbidden", 403)

        with _faults(always), self.assertRaises(lossless.StoreFailed) as failed:
            lossless.save_artifact(root, self.artifact)
        self.assertEqual(403, failed.exception.status)

    def test_connections_that_break(self) -> None:
        """Every second request fails, also within a range, which then goes on where it was."""
        root = self.files(big=random.Random(3).randbytes(20 * MEBI))

        def breaking(number: int, *_: Any) -> None:
            if number % 2 == 0:
                raise lossless.StoreFailed("broken", None if number % 4 else 503)

        with _faults(breaking):
            lossless.save_artifact(root, self.artifact)
        range_of, asked = stored_files._range_of, []

        def cut(connections: Any, url: str, start: int, end: int, size: int) -> Iterator[bytes]:
            asked.append(start)
            for index, chunk in enumerate(range_of(connections, url, start, end, size)):
                if index == 5 and len(asked) < 4:
                    raise lossless.StoreFailed("cut", None)
                yield chunk

        with mock.patch.object(stored_files, "_range_of", cut), _faults(breaking):
            lossless.load_artifact(self.artifact, self.directory / "back")
        self.assertEqual(self.contents(root), self.contents(self.directory / "back"))
        self.assertTrue(any(start % (16 * MEBI) for start in asked))

    def test_a_file_that_changes_while_it_is_saved(self) -> None:
        root = self.files(a=b"before")
        send_part = _upload.send_part

        def changing(connections: Any, file: Any, part: Any, address: Any) -> Any:
            (root / "a").write_bytes(b"after!")
            return send_part(connections, file, part, address)

        with mock.patch.object(_upload, "send_part", changing):
            with self.assertRaises(lossless.FileChanged):
                lossless.save_artifact(root, self.artifact)
        self.assertEqual([], self.records())
        self.assertEqual("000000000001", lossless.save_artifact(root, self.artifact).version)

    def test_bytes_that_are_not_those_that_were_saved(self) -> None:
        root = self.files(a=b"good" * 100)
        lossless.save_artifact(root, self.artifact)
        range_of, bad = stored_files._range_of, [1]

        def altered(*words: Any) -> Iterator[bytes]:
            for chunk in range_of(*words):
                yield chunk if bad[0] <= 0 else b"?" + chunk[1:]
            bad[0] -= 1

        with mock.patch.object(stored_files, "_range_of", altered):
            lossless.load_artifact(self.artifact, self.directory / "second")
            self.assertEqual(self.contents(root), self.contents(self.directory / "second"))
            bad[0] = 2
            with self.assertRaises(lossless.IntegrityError):
                lossless.load_artifact(self.artifact, self.directory / "never")
        self.assertEqual({"state", "model", "second"}, set(os.listdir(self.directory)) | {"state"})

    def test_a_restore_that_was_killed_leaves_nothing(self) -> None:
        root = self.files(a=b"a")
        lossless.save_artifact(root, self.artifact)
        script = (
            "import os, signal, sys, lossless\n"
            "from lossless._artifacts import restore as _restore\n"
            "_restore.Restore._fetch = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
            "lossless.load_artifact(sys.argv[1], sys.argv[2])\n"
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python/src")}
        words = [sys.executable, "-c", script, self.artifact, str(self.directory / "back")]
        self.assertEqual(-9, subprocess.run(words, env=environment, capture_output=True, timeout=60).returncode)
        self.assertFalse((self.directory / "back").exists())
        self.assertTrue([name for name in os.listdir(self.directory) if name.startswith(".back.lossless-load")])
        lossless.load_artifact(self.artifact, self.directory / "back")
        self.assertEqual({"model", "back"}, set(os.listdir(self.directory)) - {"state"})


class Planted:
    """The calls of a service with two locations, and stores that are not asked."""

    def __init__(self) -> None:
        self.begun: list[list[str]] = []
        self.committed: Any = None

    def begin(self, artifact: str, version: str, body: Any) -> Any:
        self.begun.append(body["exclude"])
        location = {"id": f"location{len(body['exclude'])}", "cloud": "c", "region": "r"}
        files = [
            {**file, "partSize": 8 * MEBI, "parts": [{"url": f"http://{location['id']}/", "headers": {}}]}
            for file in body["files"]
        ]
        warning = None if not body["exclude"] else "the fallback"
        upload = {"upload": "u", "placement": {"location": location, "match": None}, "warning": warning}
        return {**upload, "files": files}, 3600.0

    def resign(self, artifact: str, upload: str, epoch: int) -> Any:
        return self.begin("", "", {"exclude": self.begun.pop(), "files": [{"name": "a", "size": 3}]})

    def organization(self, retry_seconds: float | None = None) -> str:
        return "o"

    def commit(self, artifact: str, upload: str, body: Any) -> Any:
        self.committed = body
        return {"version": "1", "committed": "now"}


class Rules(unittest.TestCase):
    def test_a_location_that_fails_is_left(self) -> None:
        """After eight tries another location is asked for; an ETag that no store gives is empty."""
        calls: Any = Planted()
        tries: list[str] = []

        def send(_connections: Any, file: Any, _part: Any, address: Any) -> Any:
            tries.append(address["url"])
            if "location0" in address["url"]:
                raise lossless.StoreFailed("down", 503)
            return {"etag": "", "crc32": file.crc32}

        file = prepared_bytes("a", b"abc")
        upload = _upload.VersionUpload(calls, "x", "1", 1, {}, [file], {}, 2, None)
        with (
            mock.patch.object(_upload, "send_part", send),
            mock.patch("lossless._artifacts.stores.delay", return_value=0.0),
        ):
            with told():
                done = upload.run()
        self.assertEqual(["http://location0/"] * 8 + ["http://location1/"], tries)
        self.assertEqual([[], ["location0"]], calls.begun)
        self.assertEqual("the fallback", done.warning)
        self.assertEqual([{"name": "a", "etags": [""]}], calls.committed["files"])

    def test_names(self) -> None:
        for name in ("a", "a/b", ".hidden", "ä/ö", "ab:c", "_manifest.json/x", "C"):
            self.assertIsNone(file_name_problem(name), name)
        for name in (
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "a/../b",
            "a\\b",
            "C:x",
            "a\x00",
            "a\x85",
            "_manifest.json",
            ".lossless-probe-1",
            "\ud800",
            "x" * 256,
            "/".join(["x" * 200] * 6),
        ):
            self.assertIsNotNone(file_name_problem(name), name)
        for names in (["a", "a"], ["a", "a/b"], ["../x"], ["/etc/passwd"]):
            with self.assertRaises(lossless.LosslessError):
                check_target_names(names)
        self.assertEqual(("A", "a"), clashing_names(["A/x", "a/y"]))
        self.assertIsNone(clashing_names(["a/x", "a/y"]))

    def test_versions(self) -> None:
        self.assertEqual("000000000001", versions.next_version(None))
        self.assertEqual("0100", versions.next_version("0099"))
        for latest in ("99", "v1", "1.0"):
            with self.assertRaises(lossless.LosslessError):
                versions.next_version(latest)
        self.assertEqual("000000000042", versions.version_name(None, 42))
        self.assertEqual("best", versions.version_name("best", 42))
        for step in (-1, 10**12):
            with self.assertRaises(lossless.SettingsError):
                versions.version_name(None, step)

    def test_crcs_of_parts_are_that_of_the_whole(self) -> None:
        content = random.Random(4).randbytes(100_000)
        for cut in (0, 1, 77_777, 100_000):
            joined = joined_crc32(zlib.crc32(content[:cut]), zlib.crc32(content[cut:]), 100_000 - cut)
            self.assertEqual(zlib.crc32(content), joined)

    def test_checksums(self) -> None:
        one = prepared_bytes("SHA256SUMS", b"mine")
        meta, files = with_checksums({"a": 1}, [one])
        self.assertEqual({"a": 1, "sha256": {"SHA256SUMS": one.sha256}}, meta)
        found = checksums_in({"meta": meta, "files": [{"name": "SHA256SUMS"}]})
        self.assertEqual((None, {"SHA256SUMS": one.sha256}), (found.list_name, found.by_name))
        many = [one, *(prepared_bytes(f"{number:0200d}", b"") for number in range(300))]
        meta, files = with_checksums({}, many)
        self.assertEqual((302, "SHA256SUMS.2"), (len(files), files[-1].name))
        for wrong in ({"sha256": {}}, {"x": "y" * 2**16}, {"x": float("nan")}):
            with self.assertRaises(lossless.LosslessError):
                with_checksums(wrong, many)


def _faults(fault: Callable[..., None]) -> Any:
    """Asks `fault` before every request to a store, with its number."""
    # Two threads may ask for a number at once.
    exchange, numbers = StoreConnections.exchange, itertools.count(1)

    @contextlib.contextmanager
    def faulty(self: StoreConnections, *words: Any) -> Iterator[Any]:
        fault(next(numbers), *words)
        with exchange(self, *words) as response:
            yield response

    return mock.patch.object(StoreConnections, "exchange", faulty)


if __name__ == "__main__":
    unittest.main()

"""Scripts that close every descriptor, as daemons do, or open as many as the system gives."""

from __future__ import annotations

import unittest

from scripts import Scripts


class Descriptors(Scripts):
    def test_all_are_closed_and_their_numbers_are_given_to_other_files(self) -> None:
        result = self.good_file(
            """
            import os, sys, time
            import lossless
            run = lossless.init("descriptors", id="closed")
            for step in range(10): run.log({"x": step / 2}, step=step)
            os.closerange(3, 256)
            own = [open(os.path.join(sys.argv[1], f"own-{number}"), "wb", buffering=0) for number in range(10)]
            # Longer than a look at the file.
            time.sleep(0.1)
            for step in range(10, 50): run.log({"x": step / 2}, step=step)
            report = run.finish()
            print(report.is_complete, report.refused, report.lost)
            for file in own:
                file.write(b"END")
                file.close()
                print(open(file.name, "rb").read())
            """,
            str(self.service.directory),
        )
        self.assertEqual(["True 0 0"] + 10 * ["b'END'"], result.stdout.splitlines())
        points = self.service.points("descriptors/closed")["x"]
        self.assertEqual([(step, step / 2) for step in range(50)], [point[:2] for point in points])

    def test_its_end_goes_before_the_one_that_its_sender_made_up(self) -> None:
        """A script that closes all descriptors seems gone, and still reports its own end."""
        for slug, call, status in (("goes-on", "run.finish()", "done"), ("fails", "run.finish(error='own')", "error")):
            with self.subTest(slug):
                script = self.started(
                    f"""
                    import os, sys
                    import lossless
                    run = lossless.init(id={slug!r})
                    run.log({{"x": 0.0}}, step=0)
                    os.closerange(3, 256)
                    input()
                    run.log({{"x": 1.0}}, step=1)
                    print({call}.is_complete, flush=True)
                    """
                )
                self.until(lambda slug=slug: self.status(slug) == "error", "its sender ends it")
                script.go_on()
                self.assertEqual("True", script.line())
                self.assertEqual(status, self.status(slug))
                if status == "error":
                    self.assertEqual("own", self.record(slug)["error"])
                self.assertEqual([(0, 0.0), (1, 1.0)], self.stored(slug, "x"))

    def test_its_directory_is_removed_while_it_records(self) -> None:
        script = self.started(
            """
            import shutil, time
            import lossless
            run = lossless.init(id="removed")
            for step in range(10): run.log({"x": float(step)}, step=step)
            input()
            shutil.rmtree(run.directory)
            # Longer than a look at the file.
            time.sleep(0.1)
            for step in range(10, 50): run.log({"x": float(step)}, step=step)
            report = run.finish()
            print(report.lost, flush=True)
            """
        )
        self.until(lambda: len(self.stored("removed", "x")) == 10, "points arrive")
        script.go_on()
        self.assertEqual("0", script.line())
        self.sync_until_sent()
        self.assertEqual([(step, float(step)) for step in range(50)], self.stored("removed", "x"))
        self.assertEqual("done", self.status("removed"))

    def status(self, slug: str) -> str | None:
        try:
            return str(self.record(slug)["status"])
        except Exception:
            return None

    def test_there_are_none_left(self) -> None:
        result = self.good_file(
            """
            import resource
            import lossless
            run = lossless.init("descriptors", id="none-left")
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
            kept = []
            try:
                while True: kept.append(open("/dev/null"))
            except OSError: pass
            for step in range(50): run.log({"x": step / 2}, step=step)
            report = run.finish()
            print(report.is_complete or report.command is not None)
            """
        )
        self.assertEqual("True", result.stdout.strip(), result.stderr)

    def test_a_report_also_where_the_recording_is_gone(self) -> None:
        result = self.good_file(
            """
            import shutil
            import lossless
            run = lossless.init("descriptors", id="gone", mode="offline")
            run.log({"x": 1.0})
            shutil.rmtree(run.directory)
            report = run.finish()
            print(report.is_complete, report.command is not None)
            """
        )
        self.assertEqual("False True", result.stdout.strip(), result.stderr)

    def test_stderr_is_closed_before(self) -> None:
        """The script's output to stderr does not get into our files."""
        result = self.good_file(
            """
            import os, sys
            import lossless
            os.close(2)
            run = lossless.init("descriptors", id="stderr")
            for step in range(50):
                run.log({"x": step / 2}, step=step)
                try: print("noise", file=sys.stderr, flush=True)
                except OSError: pass
            report = run.finish()
            print(report.is_complete, report.stored, report.damaged)
            """
        )
        self.assertEqual("True 50 0", result.stdout.strip())


if __name__ == "__main__":
    unittest.main()

"""Which experiment a recording goes into, its own or one that is named, and what `reinit` says."""

from __future__ import annotations

import re
import unittest

from scripts import Scripts

_ALPHABET = "[0-9a-hjkmnp-tv-z]"


class Identity(Scripts):
    def test_runs_of_one_name_are_experiments_of_their_own(self) -> None:
        result = self.script(
            """
            import lossless as wandb
            for seed in range(3):
                with wandb.init(project="seeds", name="baseline", config={"seed": seed}) as run:
                    run.log({"loss": float(seed)})
                    print(run.slug, run.name)
            """
        )
        slugs = [line.split()[0] for line in result.stdout.splitlines()]
        self.assertEqual(3, len(set(slugs)))
        for seed, slug in enumerate(slugs):
            self.assertRegex(slug, f"^seeds/baseline-{_ALPHABET}{{6}}$")
            self.assertEqual({"_name": "baseline", "seed": seed}, self.record(slug)["meta"])
            self.assertEqual([(0, float(seed))], self.stored(slug, "loss"))
        self.assertEqual({"baseline"}, {line.split()[1] for line in result.stdout.splitlines()})

    def test_only_id_and_slug_go_on_with_one(self) -> None:
        result = self.script(
            """
            import lossless
            for words in ({"id": "x"}, {"project": "p", "id": "x"}, {"project": "p", "id": "q/x"}, {"slug": "one"},
                          {"project": "p", "slug": "deep/one", "name": "shown"}):
                run = lossless.init(mode="offline", **words)
                print(run.slug)
                run.finish(quiet=True)
            """
        )
        self.assertEqual(["x", "p/x", "q/x", "one", "deep/one"], result.stdout.split())

    def test_a_name_that_is_too_long_for_a_slug_is_whole_as_a_label(self) -> None:
        result = self.script(
            """
            import lossless
            run = lossless.init("p", "n" * 300, mode="offline")
            print(len(run.slug), len(run.name), run.slug[-10:])
            """
        )
        length, label, end = result.stdout.split()
        self.assertEqual(("200", "300"), (length, label))
        self.assertRegex(end, f"^nnn-{_ALPHABET}{{6}}$")

    def test_ranks_of_a_launch_share_it_and_launches_do_not(self) -> None:
        """The launcher is the shell: its two ranks have one parent."""
        text = "import lossless; print(lossless.init('p', 'same', mode='offline').slug)"
        launches = []
        for _ in range(2):
            result = self.script(
                """
                import os, subprocess, sys
                ranks = [
                    subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE, text=True,
                                     env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"})
                    for rank in range(2)
                ]
                for rank in ranks:
                    print(rank.communicate()[0].strip())
                """,
                text,
            )
            launches.append(set(result.stdout.split()))
        self.assertEqual([1, 1], [len(each) for each in launches])
        self.assertNotEqual(*launches)
        self.assertRegex(min(launches[0]), f"^p/same-{_ALPHABET}{{6}}$")

    def test_ranks_on_machines_that_share_nothing(self) -> None:
        """Such ranks cannot agree on letters: they record into one experiment, with a warning."""
        slugs = set()
        for rank in range(2):
            variables = {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "1"}
            result = self.script(
                "import lossless; print(lossless.init('p', 'apart', mode='offline').slug)", **variables
            )
            slugs.add(result.stdout.strip())
            self.assertIn("LOSSLESS_RUN_ID", result.stderr)
        self.assertEqual({"p/apart"}, slugs)

    def test_init_while_another_records(self) -> None:
        self.script(
            """
            import lossless, os
            first = lossless.init("p", "a", mode="offline")
            assert lossless.init("p", "b", mode="offline") is first
            assert lossless.init("p", "b", mode="offline", reinit=False) is first
            second = lossless.init("p", "b", mode="offline", reinit="create_new")
            assert second is not first and lossless.run is first and not first.is_finished
            assert lossless.init() is second, "the last one that was begun"
            third = lossless.init(slug="named", mode="offline")
            assert third not in (first, second), "one that is named"
            assert lossless.init(slug="named") is third
            try:
                lossless.init(slug="named", resume="must")
            except lossless.SettingsError as error:
                assert "is being recorded" in str(error), error
            else:
                raise AssertionError("it is resumed while it records")
            fourth = lossless.init("p", "d", mode="offline", reinit="finish_previous")
            assert first.is_finished and second.is_finished and third.is_finished and lossless.run is fourth
            fifth = lossless.init("p", "e", mode="offline", reinit=True)
            assert fourth.is_finished and fifth is not fourth
            try:
                lossless.init(reinit="sometimes")
            except lossless.SettingsError as error:
                assert "create_new" in str(error), error
            else:
                raise AssertionError("a word that does not exist")
            if hasattr(os, "fork"):
                child = os.fork()
                if child == 0:
                    os._exit(0 if lossless.init("p", "f", mode="offline") is not fifth else 1)
                assert os.waitpid(child, 0)[1] == 0, "a child records for itself"
            """
        )

    def test_recordings_that_share_an_experiment_can_be_told_apart(self) -> None:
        """Two recordings without resume, one after the other and at once."""
        text = """
            import lossless, sys
            run = lossless.init(id="shared", config={"lr": 1})
            for step in range(3):
                run.log({"x": float(sys.argv[1])})
            print(run._info.word, flush=True); input()
            run.log({"x": float(sys.argv[1])})
            run.finish(quiet=True)
            """
        first = self.started(text, "1")
        first.line()
        self.until(lambda: len(self.stored("shared", "x")) == 3, "the first one has begun")
        second = self.started(text, "2")
        word = second.line()
        for each in (second, first):
            each.go_on()
            self.assertEqual(0, each.ended())
        points = self.service.points("shared")["x"]
        self.assertEqual([(step, 1.0) for step in range(4)], [row[:2] for row in points if row[2] == {}])
        own = [row[:2] for row in points if row[2] == {"recording": word}]
        self.assertEqual([(step, 2.0) for step in range(4)], own)
        [note] = [each["meta"] for each in self.service.annotations("shared") if each["meta"]["kind"] == "recording"]
        self.assertEqual({"kind": "recording", "recording": word, "resumed": False, "step": 0}, note)

    def test_that_it_is_not_the_first_one_is_told_while_it_records(self) -> None:
        self.script("import lossless; lossless.init(id='told').log({'x': 1.0})")
        result = self.good_file(
            """
            import lossless, time, warnings
            run = lossless.init(id="told")
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                while not told:
                    run.log({"y": 1.0})
                    time.sleep(0.05)
            print(told[0].message)
            """
        )
        self.assertTrue(re.search(r"told was recorded before: .* recording=\w{8} .*resume='allow'", result.stdout))


if __name__ == "__main__":
    unittest.main()

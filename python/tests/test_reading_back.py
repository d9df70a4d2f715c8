"""Logged data is read back by the names that the script used."""

from __future__ import annotations

import unittest

from scripts import Scripts


class ReadingBack(Scripts):
    def test_values_of_meta_that_are_no_text(self) -> None:
        self.good_file(
            """
            import lossless
            with lossless.init("back", id="meta") as run:
                for value in (True, False, 1, 0.5, "text"):
                    run.log({"loss": 1.0}, step=0, meta={"aug": value, 7: value})
            with lossless.Reader() as reader:
                for value in (True, False, 1, 0.5, "text"):
                    for key in ("aug", 7):
                        assert len(reader.series("back/meta", "loss", where={key: value})) == 1, (key, value)
                        assert len(reader.all_series("back/meta", where={key: value})["loss"]) == 1
                        assert sum(map(len, reader.iter_series("back/meta", where={key: value}))) == 1
                assert len(reader.series("back/meta", "loss", where={"aug": None})) == 5
            """
        )

    def test_one_name(self) -> None:
        self.good_file(
            """
            import lossless
            with lossless.init("back", id="name") as run:
                run.log({"loss": 1.0, "l": 2.0})
            with lossless.Reader() as reader:
                assert list(reader.all_series("back/name", "loss")) == ["loss"]
                assert sorted(reader.all_series("back/name", ["loss", "l"])) == ["l", "loss"]
            """
        )


if __name__ == "__main__":
    unittest.main()

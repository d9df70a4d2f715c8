"""`wandb.sklearn.plot_…` without scikit-learn, which `npm run test:frameworks` has."""

from __future__ import annotations

import json
import unittest

from scripts import Scripts


class WandbSklearn(Scripts):
    def test_plots_are_logged_and_what_fails_ends_nothing(self) -> None:
        result = self.good_file(
            """
            import lossless as wandb
            run = wandb.init(project="sklearn", id="plots")
            truth, scores = [0, 1, 1, 0], [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [0.9, 0.1]]
            wandb.sklearn.plot_roc(truth, scores, ["no", "yes"])
            wandb.sklearn.plot_precision_recall(truth, scores, ["no", "yes"])
            wandb.sklearn.plot_confusion_matrix(truth, [0, 1, 0, 0], ["no", "yes"])
            wandb.sklearn.plot_confusion_matrix(["a", "b"], ["a", "a"])
            wandb.sklearn.plot_class_proportions([0, 0, 1], [1], ["no", "yes"])
            # One argument too many, a model that is none, and a name of a later release.
            wandb.sklearn.plot_roc(truth, scores, nonsense=1)
            wandb.sklearn.plot_summary_metrics(object(), None, None, None, None)
            wandb.sklearn.plot_of_later(1)
            wandb.finish()
            """
        )
        notes = [note["meta"] for note in self.service.annotations("sklearn/plots") if note["meta"]["kind"] == "media"]
        self.assertEqual(
            ["roc", "precision_recall", "confusion_matrix", "confusion_matrix", "class_proportions"],
            [note["_media"]["name"] for note in notes],
        )
        self.assertEqual({"plot"}, {note["_media"]["kind"] for note in notes})
        for told in ("sklearn.plot_roc records nothing: TypeError", "sklearn.plot_of_later has no counterpart here"):
            self.assertIn(told, result.stderr)
        self.assertRegex(result.stderr, "sklearn.plot_summary_metrics: summary_metrics records nothing: ")

    def test_the_rows_are_those_of_the_values(self) -> None:
        result = self.good_file(
            """
            import json
            from lossless._wandb.sklearn_plots import _class_proportions, _confusion_matrix
            for plots in (_confusion_matrix(["a", "b", "b"], ["a", "a", "b"]), _class_proportions([0, 0, 1], [1], ["no", "yes"])):
                [(name, make)] = plots
                print(json.dumps(json.loads(make()._file()[0])["table"]["data"]))
            """
        )
        matrix, proportions = map(json.loads, result.stdout.splitlines())
        self.assertEqual([["a", "a", 1], ["a", "b", 0], ["b", "a", 1], ["b", "b", 1]], matrix)
        self.assertEqual([["no, train", 2], ["no, test", 0], ["yes, train", 1], ["yes, test", 1]], proportions)


if __name__ == "__main__":
    unittest.main()

"""
`wandb.sklearn.plot_…`: logs the numbers of W&B's plots of scikit-learn's models, as plots. Models
are never fitted again, copies of them are; what fails warns, and the script goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._ground.signal_handlers import is_of_signal_handler
from .._ground.unsupported import Unsupported
from .._ground.warning import warn
from .._media.media import Plot, Table
from .._recording.current import log
from .plots import Plots

# Rows of a plot with one for each sample.
_SAMPLES_MAX = 1_000
_FEATURES_MAX = 50

Named = Iterator[tuple[str, Callable[[], Plot]]]


class SklearnPlots:
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        made = _PLOTS.get(name)
        return Unsupported(f"sklearn.{name}") if made is None else _logged(name, made)

    def __repr__(self) -> str:
        return "<lossless: sklearn>"


def _logged(name: str, plots_of: Callable[..., Named]) -> Callable[..., None]:
    def called(*given: Any, **named: Any) -> None:
        def failed(what: str, error: Exception) -> None:
            if is_of_signal_handler(error):
                raise error
            warn(f"{what} {error!r}", f"sklearn.{what} records nothing: {error!r}")

        try:
            plots = list(plots_of(*given, **named))
        except Exception as error:
            return failed(name, error)
        for key, make in plots:
            try:
                log({key: make()})
            except Exception as error:
                failed(f"{name}: {key}", error)

    return called


# ---- classifiers


def _classifier(
    model: Any,
    X_train: Any,
    X_test: Any,
    y_train: Any,
    y_test: Any,
    y_pred: Any,
    y_probas: Any,
    labels: Any,
    is_binary: bool = False,
    model_name: str = "Classifier",
    feature_names: Any = None,
    log_learning_curve: bool = False,
) -> Named:
    yield from _feature_importances(model, feature_names)
    if log_learning_curve:
        yield from _learning_curve(model, X_train, y_train)
    yield from _confusion_matrix(y_test, y_pred, labels)
    yield from _summary_metrics(model, X_train, y_train, X_test, y_test)
    yield from _class_proportions(y_train, y_test, labels)
    # The plot is for two classes, and W&B leaves it out for others.
    if set(_values(y_train)) <= {0, 1}:
        yield from _calibration_curve(model, X_train, y_train, model_name)
    yield from _roc(y_test, y_probas, labels)
    yield from _precision_recall(y_test, y_probas, labels)


def _roc(
    y_true: Any = None,
    y_probas: Any = None,
    labels: Any = None,
    plot_micro: bool = True,
    plot_macro: bool = True,
    classes_to_plot: Any = None,
) -> Named:
    yield "roc", lambda: Plots().roc_curve(_values(y_true), y_probas, labels, classes_to_plot)


def _precision_recall(
    y_true: Any = None, y_probas: Any = None, labels: Any = None, plot_micro: bool = True, classes_to_plot: Any = None
) -> Named:
    yield "precision_recall", lambda: Plots().pr_curve(_values(y_true), y_probas, labels, classes_to_plot)


def _confusion_matrix(y_true: Any = None, y_pred: Any = None, labels: Any = None, *_: Any, **__: Any) -> Named:
    def made() -> Plot:
        truth, guesses = _values(y_true), _values(y_pred)
        classes = sorted({*truth, *guesses})
        place = {each: number for number, each in enumerate(classes)}
        names = [str(_label(each, labels)) for each in classes]
        return Plots().confusion_matrix(
            y_true=[place[each] for each in truth], preds=[place[each] for each in guesses], class_names=names
        )

    yield "confusion_matrix", made


def _feature_importances(
    model: Any = None,
    feature_names: Any = None,
    title: str = "Feature Importance",
    max_num_features: int = _FEATURES_MAX,
) -> Named:
    def made() -> Plot:
        import numpy

        names = ("feature_importances_", "feature_log_prob_", "coef_")
        found = next((getattr(model, name) for name in names if hasattr(model, name)), None)
        if found is None:
            raise ValueError(f"the model has none of {', '.join(names)}")
        each = numpy.squeeze(numpy.asarray(found))
        if each.ndim != 1:
            raise ValueError("the model has importances for each class, and they are no single bars")
        order = [int(place) for place in numpy.argsort(each)[::-1][:max_num_features]]
        rows = [[str(place if feature_names is None else feature_names[place]), float(each[place])] for place in order]
        return _plot("bar", ["feature_names", "importances"], rows, label=0, value=1, title=title)

    yield "feature_importances", made


def _class_proportions(y_train: Any = None, y_test: Any = None, labels: Any = None) -> Named:
    def made() -> Plot:
        sets = {"train": _values(y_train), "test": _values(y_test)}
        rows = [
            [f"{_label(each, labels)}, {name}", values.count(each)]
            for each in sorted({value for values in sets.values() for value in values})
            for name, values in sets.items()
        ]
        return _plot("bar", ["class, dataset", "count"], rows, label=0, value=1, title="Class Proportions")

    yield "class_proportions", made


def _calibration_curve(clf: Any = None, X: Any = None, y: Any = None, clf_name: str = "Classifier") -> Named:
    def made() -> Plot:
        from sklearn.base import clone
        from sklearn.calibration import CalibratedClassifierCV, calibration_curve
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import train_test_split

        given, asked, truth, expected = train_test_split(X, _values(y), test_size=0.9, random_state=42)
        rows: list[list[Any]] = [["Perfectly calibrated", 0.0, 0.0], ["Perfectly calibrated", 1.0, 1.0]]
        for name, model in (
            ("Logistic", LogisticRegression(C=1.0)),
            (f"{clf_name} Isotonic", CalibratedClassifierCV(clone(clf), cv=2, method="isotonic")),
            (f"{clf_name} Sigmoid", CalibratedClassifierCV(clone(clf), cv=2, method="sigmoid")),
        ):
            scores = model.fit(given, truth).predict_proba(asked)[:, 1]
            for positives, mean in zip(*calibration_curve(expected, scores, n_bins=10)):
                rows.append([name, float(mean), float(positives)])
        columns = ["model", "mean_predicted_value", "fraction_of_positives"]
        return _plot("line", columns, rows, x=1, y=2, stroke=0, title="Calibration")

    yield "calibration_curve", made


# ---- regressors


def _regressor(
    model: Any, X_train: Any, X_test: Any, y_train: Any, y_test: Any, model_name: str = "Regressor"
) -> Named:
    yield from _summary_metrics(model, X_train, y_train, X_test, y_test)
    yield from _learning_curve(model, X_train, y_train)
    yield from _outlier_candidates(model, X_train, y_train)
    yield from _residuals(model, X_train, y_train)


def _outlier_candidates(regressor: Any = None, X: Any = None, y: Any = None) -> Named:
    def made() -> Plot:
        import numpy
        from sklearn.base import clone

        values, truth = numpy.asarray(X, float), numpy.asarray(y, float)
        rest = truth - clone(regressor).fit(values, truth).predict(values)
        leverage = (values * numpy.linalg.pinv(values).T).sum(1)
        mean_square = rest @ rest / (len(values) - numpy.linalg.matrix_rank(values))
        # Cook's distance.
        distance = rest**2 / mean_square / values.shape[1] * leverage / (1 - leverage) ** 2
        rows = [[place, float(each)] for place, each in enumerate(distance[:_SAMPLES_MAX])]
        return _plot("scatter", ["instance", "distance"], rows, x=0, y=1, title="Outlier Candidates")

    yield "outlier_candidates", made


def _residuals(regressor: Any = None, X: Any = None, y: Any = None) -> Named:
    def made() -> Plot:
        import numpy
        from sklearn.base import clone
        from sklearn.model_selection import train_test_split

        given, asked, truth, expected = train_test_split(X, numpy.asarray(y), test_size=0.2)
        model = clone(regressor).fit(given, truth)
        rows = [
            [name, float(guess), float(guess - each)]
            for name, values, known in (("train", given, truth), ("test", asked, expected))
            for guess, each in list(zip(model.predict(values), known))[: _SAMPLES_MAX // 2]
        ]
        return _plot("scatter", ["dataset", "y_pred", "residuals"], rows, x=1, y=2, title="Residuals")

    yield "residuals", made


# ---- of any model


def _summary_metrics(model: Any = None, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None) -> Named:
    def made() -> Plot:
        from sklearn import metrics
        from sklearn.base import is_classifier

        guesses = model.predict(X_test)
        scores: dict[str, Any] = {
            "mae": metrics.mean_absolute_error,
            "mse": metrics.mean_squared_error,
            "r2_score": metrics.r2_score,
        }
        arguments: dict[str, Any] = {}
        if is_classifier(model):
            scores = {
                "precision": metrics.precision_score,
                "recall": metrics.recall_score,
                "f1_score": metrics.f1_score,
            }
            arguments = {"average": "weighted"}
        rows = [[name, float(score(y_test, guesses, **arguments))] for name, score in scores.items()]
        if is_classifier(model):
            rows.insert(0, ["accuracy_score", float(metrics.accuracy_score(y_test, guesses))])
        title = f"Metrics of {type(model).__name__}"
        return _plot("bar", ["metric_name", "metric_value"], rows, label=0, value=1, title=title)

    yield "summary_metrics", made


def _learning_curve(
    model: Any = None,
    X: Any = None,
    y: Any = None,
    cv: Any = None,
    shuffle: bool = False,
    random_state: Any = None,
    train_sizes: Any = None,
    n_jobs: int = 1,
    scoring: Any = None,
) -> Named:
    def made() -> Plot:
        from sklearn.model_selection import learning_curve

        chosen = {"cv": cv, "shuffle": shuffle, "random_state": random_state, "n_jobs": n_jobs, "scoring": scoring}
        sizes = [0.1, 0.325, 0.55, 0.775, 1.0] if train_sizes is None else train_sizes
        counts, train, test = learning_curve(model, X, _values(y), train_sizes=sizes, **chosen)
        rows = [
            [name, int(count), float(scores.mean())]
            for name, all_scores in (("train", train), ("test", test))
            for count, scores in zip(counts, all_scores)
        ]
        columns = ["dataset", "train_size", "score"]
        return _plot("line", columns, rows, x=1, y=2, stroke=0, title="Learning Curve")

    yield "learning_curve", made


# ---- clusterers


def _clusterer(
    model: Any, X_train: Any, cluster_labels: Any, labels: Any = None, model_name: str = "Clusterer"
) -> Named:
    if hasattr(model, "n_clusters"):
        yield from _elbow_curve(model, X_train)
    yield from _silhouette(model, X_train, cluster_labels, labels)


def _elbow_curve(
    clusterer: Any = None, X: Any = None, cluster_ranges: Any = None, n_jobs: int = 1, show_cluster_time: bool = True
) -> Named:
    def made() -> Plot:
        from sklearn.base import clone

        counts = range(1, 10, 2) if cluster_ranges is None else sorted(cluster_ranges)
        rows = [
            [int(count), abs(float(clone(clusterer).set_params(n_clusters=count).fit(X).score(X)))] for count in counts
        ]
        return _plot("line", ["cluster_ranges", "errors"], rows, x=0, y=1, title="Elbow Curve")

    yield "elbow_curve", made


def _silhouette(
    clusterer: Any = None,
    X: Any = None,
    cluster_labels: Any = None,
    labels: Any = None,
    metric: str = "euclidean",
    kmeans: bool = True,
) -> Named:
    def made() -> Plot:
        from sklearn.metrics import silhouette_samples

        clusters = _values(cluster_labels)
        values = silhouette_samples(X, clusters, metric=metric)
        pairs = sorted(zip(clusters, map(float, values)))[:_SAMPLES_MAX]
        rows = [[place, str(_label(each, labels)), value] for place, (each, value) in enumerate(pairs)]
        columns = ["sample", "cluster", "silhouette"]
        return _plot("scatter", columns, rows, x=0, y=2, title="Silhouette")

    yield "silhouette_plot", made


def _plot(kind: str, columns: list[str], rows: list[list[Any]], *, title: str, **fields: int) -> Plot:
    named = {field: columns[place] for field, place in fields.items()}
    return Plot(kind, {**named, "title": title}, Table(columns=columns, data=rows))


def _values(given: Any) -> list[Any]:
    values: list[Any] = given.tolist() if hasattr(given, "tolist") else list(given)
    return values


def _label(value: Any, labels: Any) -> Any:
    """Returns the name of a class: `labels` are those of the classes 0, 1, …"""
    if labels is None or type(value) is not int or not 0 <= value < len(labels):
        return value
    return labels[value]


_PLOTS: dict[str, Callable[..., Named]] = {
    "plot_calibration_curve": _calibration_curve,
    "plot_class_proportions": _class_proportions,
    "plot_classifier": _classifier,
    "plot_clusterer": _clusterer,
    "plot_confusion_matrix": _confusion_matrix,
    "plot_elbow_curve": _elbow_curve,
    "plot_feature_importances": _feature_importances,
    "plot_learning_curve": _learning_curve,
    "plot_outlier_candidates": _outlier_candidates,
    "plot_precision_recall": _precision_recall,
    "plot_regressor": _regressor,
    "plot_residuals": _residuals,
    "plot_roc": _roc,
    "plot_silhouette": _silhouette,
    "plot_summary_metrics": _summary_metrics,
}

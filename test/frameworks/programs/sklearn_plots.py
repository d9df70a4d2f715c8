import wandb
from _told import tell
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

wandb.init(project="sklearn", name="plots")
values, classes = load_breast_cancer(return_X_y=True)
given, asked, truth, expected = train_test_split(values, classes, random_state=1)
forest = RandomForestClassifier(20, random_state=1).fit(given, truth)
wandb.sklearn.plot_classifier(
    forest,
    given,
    asked,
    truth,
    expected,
    forest.predict(asked),
    forest.predict_proba(asked),
    ["malignant", "benign"],
    model_name="forest",
    log_learning_curve=True,
)
values, targets = load_diabetes(return_X_y=True)
given, asked, truth, expected = train_test_split(values, targets, random_state=1)
wandb.sklearn.plot_regressor(Ridge().fit(given, truth), given, asked, truth, expected, "ridge")
clusters = KMeans(3, n_init=1, random_state=1).fit(values)
wandb.sklearn.plot_clusterer(clusters, values, clusters.labels_)
wandb.finish()
# Eight of the classifier, four of the regressor, two of the clusterer.
tell({"name": "plots", "points": {}, "media": {"plot": 14}})

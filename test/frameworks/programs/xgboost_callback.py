import numpy
import wandb
import xgboost
from _told import tell
from wandb.integration.xgboost import WandbCallback

random = numpy.random.default_rng(1)
data = xgboost.DMatrix(random.random((20, 3)), random.random(20))
wandb.init(project="xgboost", name="booster")
history = {}
xgboost.train(
    {"max_depth": 2},
    data,
    5,
    evals=[(data, "train")],
    evals_result=history,
    callbacks=[WandbCallback(log_model=True)],
    verbose_eval=False,
)
wandb.finish()
points = {"train/rmse": [*map(list, enumerate(history["train"]["rmse"]))]}
tell({"name": "booster", "points": points, "media": {"plot": 1}})

import lightgbm
import numpy
import wandb
from _told import tell
from wandb.integration.lightgbm import log_summary, wandb_callback

random = numpy.random.default_rng(1)
data = lightgbm.Dataset(random.random((80, 3)), random.random(80))
wandb.init(project="lightgbm", name="booster")
history = {}
model = lightgbm.train(
    {"objective": "regression", "num_threads": 1, "verbose": -1, "min_data_in_leaf": 5},
    data,
    5,
    valid_sets=[data],
    valid_names=["train"],
    callbacks=[wandb_callback(), lightgbm.record_evaluation(history)],
)
log_summary(model)
wandb.finish()
points = {"train/l2": [*map(list, enumerate(history["train"]["l2"]))]}
tell({"name": "booster", "points": points, "media": {"plot": 1}})

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy
import wandb
from _told import tell
from wandb.integration.keras import WandbMetricsLogger

wandb.init(project="keras", name="fitted")
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse", metrics=["mae"])
values = numpy.random.rand(32, 4)
history = model.fit(
    values, values.sum(axis=1), epochs=3, verbose=0, validation_split=0.25, callbacks=[WandbMetricsLogger()]
)
wandb.finish()
points = {name: [*map(list, enumerate(map(float, each)))] for name, each in history.history.items()}
rate = float(model.optimizer.learning_rate.numpy())
points["learning_rate"] = [[epoch, rate] for epoch in range(3)]
tell({"name": "fitted", "points": points})

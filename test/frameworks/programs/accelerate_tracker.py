import numpy
from _told import tell
from accelerate import Accelerator

accelerator = Accelerator(log_with="wandb", cpu=True)
accelerator.init_trackers("accelerated", config={"lr": 1e-3}, init_kwargs={"wandb": {"name": "tracker"}})
for step in range(5):
    accelerator.log({"loss": 1 / (step + 1)}, step=step)
accelerator.get_tracker("wandb").log_images({"noise": numpy.zeros((2, 8, 8, 3), numpy.uint8)}, step=5)
accelerator.end_training()
points = {"loss": [[step, 1 / (step + 1)] for step in range(5)]}
tell({"name": "tracker", "points": points, "config": {"lr": 1e-3}, "media": {"image": 2}})

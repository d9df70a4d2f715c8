"""In the ways of scripts: a star, attributes of attributes, modules of modules, a context."""

import wandb.plot
import wandb.sdk.wandb_settings
from wandb import *  # noqa: F403
from wandb.errors import CommError, UsageError
from wandb.integration.keras.callbacks import WandbMetricsLogger  # noqa: F401
from wandb.proto.v9 import wandb_internal_pb2  # noqa: F401
from wandb.sdk.integration_utils.auto_logging import AutologAPI
from wandb.sdk.lib import telemetry
from wandb.sdk.lib.runid import generate_id

assert issubclass(CommError, Exception) and issubclass(UsageError, wandb.Error)
assert wandb.util.generate_id is generate_id and len(generate_id()) == 8
assert wandb.env.PROJECT == "WANDB_PROJECT" and wandb.env.get_project("none") == "none"
assert wandb.data_types.Image is wandb.Image is wandb.sdk.data_types.image.Image


class Own(AutologAPI):
    pass


with telemetry.context(run=wandb.run) as told:
    told.feature.keras = True
settings = wandb.sdk.wandb_settings.Settings(run_notes="why", start_method="thread", init_timeout=300)
with init(project="libraries", name="by_star", config={"lr": 0.5}, settings=settings) as run:  # noqa: F405
    own = Own("openai", symbols=(), resolver=None)
    own.enable()
    for step in range(3):
        log({"loss": 0.5**step})  # noqa: F405
    print(run.slug)

import csv
import struct

import wandb
from _told import tell
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure
from wandb.integration.sb3 import WandbCallback

run = wandb.init(project="sb3", name="ppo", config={"seed": 1}, sync_tensorboard=True)
model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, seed=1)
model.set_logger(configure("logs", ["csv", "tensorboard"]))
model.learn(256, callback=WandbCallback(model_save_path="saved"))
run.finish()
points = {}
with open("logs/progress.csv") as file:
    for row in csv.DictReader(file):
        for name, value in row.items():
            # Stable-Baselines keeps these from event files, whose numbers have 32 bits.
            is_left_out = name.startswith("time/") and name != "time/fps"
            if value and not is_left_out and name != "train/n_updates":
                kept = struct.unpack("f", struct.pack("f", float(value)))[0]
                points.setdefault(name, []).append([int(row["time/total_timesteps"]), kept])
tell({"name": "ppo", "points": points, "config": {"seed": 1, "algo": "PPO", "n_steps": 64}})

import pathlib

import numpy
from _told import tell
from PIL import Image
from ultralytics import YOLO, settings
from ultralytics.utils.torch_utils import model_info_for_loggers

root = pathlib.Path("data").absolute()
for name in ("train", "val"):
    for kind in ("images", "labels"):
        (root / kind / name).mkdir(parents=True)
    for number in range(4):
        pixels = numpy.random.randint(0, 255, (64, 64, 3), dtype=numpy.uint8)
        Image.fromarray(pixels).save(root / f"images/{name}/{number}.jpg")
        (root / f"labels/{name}/{number}.txt").write_text("0 0.5 0.5 0.4 0.4\n")
(root / "d.yaml").write_text(f"path: {root}\ntrain: images/train\nval: images/val\nnames:\n  0: a\n")
settings.update({"wandb": True, "runs_dir": str(root.parent / "runs")})
model = YOLO("yolo11n.yaml")
steps, drawn, open_step, counts = [], {}, {}, {"image": 0, "plot": 0}


def plots_of(trainer):
    for name, plot in {**trainer.plots, **trainer.validator.plots}.items():
        if drawn.get(name) != plot["timestamp"]:
            drawn[name] = plot["timestamp"]
            counts["image"] += 1


def on_train_epoch_end(trainer):
    open_step.update(trainer.label_loss_items(trainer.tloss, prefix="train"), epoch=trainer.epoch + 1)
    open_step.update(trainer.lr)


def on_fit_epoch_end(trainer):
    """Keeps the values of one step of the library's own callback."""
    plots_of(trainer)
    info = model_info_for_loggers(trainer) if trainer.epoch == 0 else {}
    steps.append({**open_step, **info, **trainer.metrics, "epoch": trainer.epoch + 1})
    open_step.clear()


def on_train_end(trainer):
    plots_of(trainer)
    counts["plot"] += len(trainer.validator.metrics.curves_results)
    steps.append({"epoch": trainer.epoch + 1})


for callback in (on_train_epoch_end, on_fit_epoch_end, on_train_end):
    model.add_callback(callback.__name__, callback)
model.train(
    data=str(root / "d.yaml"),
    epochs=2,
    imgsz=64,
    batch=4,
    device="cpu",
    workers=0,
    project="yolo",
    name="trained",
    plots=True,
    amp=False,
)
points = {}
for step, row in enumerate(steps):
    for name, value in row.items():
        points.setdefault(name, []).append([step, float(value)])
tell({"name": "trained", "points": points, "config": {"epochs": 2, "imgsz": 64}, "media": counts})

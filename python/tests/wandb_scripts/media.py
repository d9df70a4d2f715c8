import lossless as wandb

import json

run = wandb.init(project="media", config={"classes": 3})
model = object()
wandb.watch(model, log="all", log_freq=10)

names = ["cat", "dog", "bird"]
table = wandb.Table(columns=["id", "image", "guess", "truth"])
losses = []
for step in range(3):
    image = wandb.Image([[0, 255], [255, 0]], caption=names[step])
    table.add_data(step, image, names[step], "cat")
    losses.append(0.5**step)
    run.log(
        {
            "loss": losses[-1],
            "examples": [image, image],
            "gradients": wandb.Histogram([1, 2, 2, 3]),
            "sound": wandb.Audio([0.0, 0.5], sample_rate=8000),
            "page": wandb.Html("<b>bold</b>"),
        }
    )
assert isinstance(image, wandb.Image)
run.log({"predictions": table, "accuracy": 1 / 3})
run.log({"confusion": wandb.plot.confusion_matrix(y_true=[0, 1, 2], preds=[0, 1, 1], class_names=names)})
run.log({"curve": wandb.plot.line(wandb.Table(data=[[1, 2]], columns=["x", "y"]), "x", "y", title="a line")})

print(json.dumps({run.path: {"loss": losses, "accuracy": [1 / 3]}}))
run.finish()

import lossless as wandb

import json
import os
import pathlib
import tempfile

folder = pathlib.Path(tempfile.mkdtemp())

with wandb.init(project="artifacts", job_type="make-data") as run:
    data = wandb.Artifact("numbers", type="dataset", description="ten numbers", metadata={"count": 10})
    (folder / "numbers.txt").write_text("\n".join(map(str, range(10))))
    data.add_file(str(folder / "numbers.txt"))
    with data.new_file("extra.json") as file:
        file.write("{}")
    run.log_artifact(data, aliases=["latest", "v-first"])
    first = run.path

with wandb.init(project="artifacts", job_type="train") as run:
    used = run.use_artifact("numbers:latest")
    directory = used.download()
    assert pathlib.Path(directory, "numbers.txt").read_text().split() == [str(number) for number in range(10)]
    scores = [0.5, 0.75, 0.875]
    for epoch, score in enumerate(scores):
        run.log({"score": score, "epoch": epoch})
        checkpoint = os.path.join(run.dir, f"epoch-{epoch}.txt")
        with open(checkpoint, "w") as file:
            file.write(str(score))
        wandb.save(checkpoint)
    model = wandb.Artifact(f"model-{run.id}", type="model")
    model.add_dir(str(folder))
    model.metadata["score"] = scores[-1]
    wandb.log_artifact(model)
    model.wait()
    run.link_artifact(model, "registry/model", aliases=["staging"])
    print(json.dumps({first: {}, run.path: {"score": scores}}))

"""The outcome that a program tells; nothing here touches a library or a recording."""

import json


def tell(*runs):
    print()
    print(json.dumps(runs))


def by_calls(rows):
    """Points of calls without a step: each call is a step."""
    points = {}
    for step, row in enumerate(rows):
        for name, value in row.items():
            points.setdefault(name, []).append([step, float(value)])
    return points


def of_trainer(history):
    """Points of transformers' history under the names of its callback, without single values."""
    once = ("train_runtime", "train_samples_per_second", "train_steps_per_second", "train_loss", "total_flos")
    rows = []
    for entry in history:
        row = {}
        for name, value in entry.items():
            if name not in (*once, "step"):
                row[f"eval/{name[5:]}" if name.startswith("eval_") else f"train/{name}"] = value
        rows.append({**row, "train/global_step": entry["step"]})
    return by_calls(rows)

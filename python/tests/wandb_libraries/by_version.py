"""As ultralytics 8.4: any failure at the import means silence."""

try:
    import wandb as wb

    assert hasattr(wb, "__version__")
except (ImportError, AssertionError):
    wb = None
assert wb is not None
import datetime

if not wb.run:
    wb.init(
        project="libraries",
        name="by_version",
        config={"lr": 0.5},
        id=f"by_version_{datetime.datetime.now():%H%M%S%f}",
        resume=None,
    )
    for prefix in ("train", "lr"):
        wb.run.define_metric(f"{prefix}/*", step_metric="epoch")
wb.run.config.setdefaults({"lr": 1, "batch": 4})
for step in range(3):
    wb.run.log({"loss": 0.5**step, "epoch": step + 1}, commit=False)
    wb.run.log({"lr/pg0": 0.1}, commit=True)
curve = wb.Table(data=[["mean", 0.5, 0.5]], columns=["class", "y", "x"])
fields = {"x": "x", "y": "y", "class": "class"}
wb.log({"curve": wb.plot_table("wandb/area-under-curve/v0", curve, fields=fields, string_fields={})}, commit=False)
print(wb.run.slug)
wb.finish()

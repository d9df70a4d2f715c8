"""Makes this session in ~/.clearml/cache/offline, with clearml 2.1.12 and numpy: python make.py"""

import math

import numpy as np
from clearml import Task

Task.set_offline(True)
task = Task.init(project_name="demo/sub", task_name="first", tags=["a"], auto_connect_frameworks=False)
task.set_comment("notes")
task.connect({"lr": 0.1, "net": {"d": 3}}, name="General")
task.connect_configuration({"a": 1}, name="cfg")
log = task.get_logger()
for step in range(300):
    log.report_scalar("loss", "train", 1 / (step + 1), step)
    if step % 10 == 0:
        log.report_scalar("acc", "val", step / 300, step)
log.report_scalar("odd", "x", math.nan, 0)
log.report_scalar("odd", "x", 1e300, 1)
log.report_single_value("best", 0.5)
log.report_text("hello text")
log.report_image("pic", "p", 3, image=np.zeros((8, 8, 3), dtype=np.uint8))
log.report_histogram("h", "s", iteration=1, values=[1, 2, 3])
log.report_table("tab", "t", iteration=0, table_plot=[["a", "b"], [1, 2]])
print("line one")
task.upload_artifact("art", {"k": 1})
task.close()

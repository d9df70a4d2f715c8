import lossless as wandb

import json
import multiprocessing


def work(rank, queue):
    run = wandb.init(project="workers", group="one-job", job_type="worker", config={"rank": rank})
    values = [rank + step / 10 for step in range(20)]
    for value in values:
        wandb.log({"reward": value})
    queue.put((run.path, values))
    wandb.finish()


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    processes = [context.Process(target=work, args=(rank, queue)) for rank in range(2)]
    for process in processes:
        process.start()
    results = dict(queue.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()
        assert process.exitcode == 0
    print(json.dumps({path: {"reward": values} for path, values in results.items()}))

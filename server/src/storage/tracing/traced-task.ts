import { aroundRounds } from "../background/rounds.ts";
import type { Task } from "../background/runner.ts";
import type { Tracing } from "./tracing.ts";

/** Returns the task with a span around each of its rounds; unchanged without tracing. */
export function tracedTask(name: string, task: Task, tracing: Tracing | undefined): Task {
  if (tracing === undefined) return task;
  return aroundRounds(task, (round) => tracing.apart(`background ${name}`, async () => round()));
}

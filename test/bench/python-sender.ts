import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";
import type { ColumnsOptions } from "./columns.ts";

const points = 1_000_000;

/** Records a million points as fast as Python's client takes them: processor time of each side. */
export function measurePythonSender(set: ColumnsOptions["set"]): void {
  const program = join(checkoutRoot, "python/bench/log_cost.py");
  const words = [program, "--sender", "--points", String(points)];
  const told = execFileSync("python3", words, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const figures = JSON.parse(told) as Record<"stored" | "training_cpu" | "sender_cpu", number>;
  set("Python sender CPU s/M", figures.sender_cpu);
  set("Python training CPU s/M", figures.training_cpu);
  set("Python points stored, a second", points / figures.stored);
}

import { setTimeout as sleep } from "node:timers/promises";
import { Service } from "../service.ts";
import { cpuSeconds, median, residentMebibytes } from "./measure.ts";

const starts = 7;
/** The compiler and the collector have done their work by then. */
const restMs = 5_000;

/** A start on a new directory until the service says that it is ready, and its memory at rest. */
export async function measureStarts(set: (name: string, value: number) => void): Promise<void> {
  const all = { readyMs: [] as number[], cpu: [] as number[], mebibytes: [] as number[] };
  for (let start = 0; start < starts; start++) {
    const startedMs = performance.now();
    await using service = await Service.start();
    all.readyMs.push(performance.now() - startedMs);
    all.cpu.push(cpuSeconds(service.processId));
    await sleep(restMs);
    all.mebibytes.push(residentMebibytes(service.processId));
  }
  set("start ms", median(all.readyMs));
  set("start CPU s", median(all.cpu));
  set("at rest MiB", median(all.mebibytes));
}

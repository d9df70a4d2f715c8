import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RequestWriter, workloads } from "./workload.ts";
import { percentile } from "./measure.ts";

/** Events per second of JSON.parse alone, on the bodies that the service gets. */
export function parseRate(): number {
  const experiment = { experimentId: "01m7y2rr6ktv8cx7924m35ch9z", token: "token" };
  const writer = new RequestWriter(workloads.W1, experiment, "random", "noise");
  const bodies = Array.from({ length: 100 }, () => {
    const request = writer.next("host").toString();
    return request.slice(request.indexOf("\r\n\r\n") + 4);
  });
  return bestRate(() => {
    for (const body of bodies) JSON.parse(body);
    return bodies.length * workloads.W1.eventsPerRequest;
  });
}

/** Points per second of three columns printed as the arrays of a data record. */
export function ndjsonRate(): number {
  const points = 8_192;
  const step = Float64Array.from({ length: points }, (_, index) => index);
  const timestamp = step.map((index) => 1_700_000_000_000 + 1_000 * index);
  const value = step.map(() => Math.random());
  return bestRate(() => {
    for (let count = 0; count < 20; count++) {
      Buffer.from(
        `{"step":[${step.join()}],"timestampMs":[${timestamp.join()}],"value":[${value.join()}]}`,
      );
    }
    return 20 * points;
  });
}

/** Points per second of a page of MLflow's history, whose points are printed one by one. */
export function messageRate(): number {
  const points = 25_000;
  const metrics = Array.from({ length: points }, (_, step) => {
    return { key: "m", value: Math.random(), timestamp: 1_000 + step, step };
  });
  return bestRate(() => {
    Buffer.from(JSON.stringify({ metrics }));
    return points;
  });
}

/** Median milliseconds of appending 4 KiB and fdatasync. */
export function syncMs(directory: string): number {
  const place = mkdtempSync(join(directory, "floor-"));
  const file = openSync(join(place, "file"), "a");
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 300 }, () => {
    const startedMs = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedMs;
  });
  closeSync(file);
  rmSync(place, { recursive: true });
  return percentile(times, 50);
}

/** Milliseconds of making a file of 4 KiB and syncing it. */
export function newFileSyncMs(path: string): number {
  const startedMs = performance.now();
  const file = openSync(path, "wx");
  writeSync(file, Buffer.alloc(4_096, 1));
  fsyncSync(file);
  closeSync(file);
  return performance.now() - startedMs;
}

/** It times appending 4 KiB and fdatasync in milliseconds, repeatedly until something else ends. */
export async function syncsMs(path: string, end: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const over = (): void => void (isOver = true);
  end.then(over, over);
  await using file = await open(path, "a");
  const page = Buffer.alloc(4_096, 1);
  while (!isOver) {
    const startedMs = performance.now();
    await file.write(page);
    await file.datasync();
    times.push(performance.now() - startedMs);
    await sleep(2);
  }
  return times;
}

function bestRate(work: () => number): number {
  let best = 0;
  for (let round = 0; round < 5; round++) {
    const startedMs = performance.now();
    const count = work();
    best = Math.max(best, count / ((performance.now() - startedMs) / 1_000));
  }
  return best;
}

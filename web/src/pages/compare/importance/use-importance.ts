import { useEffect, useState } from "preact/hooks";
import { pause } from "../../../parts/pause.ts";
import { persistently } from "../../../parts/persistently.ts";
import type { Service } from "../../../signed-in.ts";
import { importanceOf, type Importance } from "./importance.ts";
import { readRows, type ImportanceQuestion, type ReadRows } from "./read-rows.ts";

export interface FoundImportance {
  /** From 0 to 1 while it is computed. */
  progress: number;
  importance?: Importance;
  read?: Omit<ReadRows, "rows">;
  problem?: string;
}

/** Reads the rows of a question, and computes the importance of their keys step by step. */
export function useImportance(
  service: Service,
  question: ImportanceQuestion | undefined,
): FoundImportance {
  const [found, setFound] = useState<FoundImportance>({ progress: 0 });
  const text = question && JSON.stringify(question);
  useEffect(() => {
    const stopped = new AbortController();
    const { signal } = stopped;
    setFound({ progress: 0 });
    const compute = async () => {
      if (text === undefined) return;
      const asked = JSON.parse(text) as ImportanceQuestion;
      const rows = await persistently(
        (each) => readRows(service, asked, each),
        signal,
        (problem) => setFound({ progress: 0, problem }),
      );
      if (rows === undefined) return;
      const { rows: _, ...read } = rows;
      const tell = (progress: number) => setFound({ progress });
      const importance = await inTurns(importanceOf(rows), signal, tell);
      if (importance !== undefined) setFound({ progress: 1, importance, read });
    };
    void compute();
    return () => stopped.abort();
  }, [service, text]);
  return found;
}

/** Milliseconds of work at a time, after which the page may paint and answer keys. */
const turnMs = 12;

/** Works step by step with pauses in between; undefined: it was stopped. */
async function inTurns<Result>(
  steps: Generator<number, Result>,
  stopped: AbortSignal,
  tell: (done: number) => void,
): Promise<Result | undefined> {
  while (!stopped.aborted) {
    const began = performance.now();
    let step = steps.next();
    while (!step.done && performance.now() - began < turnMs) step = steps.next();
    if (step.done) return step.value;
    tell(step.value);
    await pause(0, stopped);
  }
  return undefined;
}

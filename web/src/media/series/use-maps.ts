import type { LoggedHistogramsReply, LoggedTextsReply } from "@lossless/client";
import { useRead } from "../../parts/use-read.ts";
import type { Service } from "../../signed-in.ts";
import type { StepAxis } from "./step-axis.ts";

interface Asked {
  ids: readonly string[];
  name: string;
  /** Undefined: all steps. */
  range: StepAxis | undefined;
  /** Changes when something new may be there. */
  version: number;
  /** Whether it is on the screen or nearby. */
  isNear: boolean;
}

/** Bins into which the range of all values is divided. */
const bins = 64;

export function useHistograms(
  { client }: Service,
  { ids, name, range, version, isNear }: Asked,
  columns: number,
) {
  const read = async (stopped: AbortSignal): Promise<LoggedHistogramsReply | undefined> => {
    if (!isNear || columns < 1) return undefined;
    const body = { experimentIds: [...ids], name, ...stepsOf(range), columns, bins };
    return client.logged.histograms(body, stopped);
  };
  return useRead(read, [ids, name, range, version, isNear, columns]);
}

export function useTexts({ client }: Service, { ids, name, range, version, isNear }: Asked) {
  const read = async (stopped: AbortSignal): Promise<LoggedTextsReply | undefined> => {
    if (!isNear) return undefined;
    return client.logged.texts({ experimentIds: [...ids], name, ...stepsOf(range) }, stopped);
  };
  return useRead(read, [ids, name, range, version, isNear]);
}

/** The whole steps of a range. */
function stepsOf(range: StepAxis | undefined): { start?: number; end?: number } {
  if (range === undefined) return {};
  const start = Math.max(0, Math.floor(range.start));
  return { start, end: Math.max(start, Math.ceil(range.end)) + 1 };
}

import type { LoggedFile } from "@lossless/client";
import { useMemo } from "preact/hooks";
import { useFile } from "../use-file.ts";

export interface ReadJson {
  /** The content, or that of the file before while the next one is read. */
  json?: unknown;
  text?: string;
  isCurrent: boolean;
  problem?: string;
}

/** Reads a file as JSON, while it is wanted; undefined: none is. */
export function useJson(file: LoggedFile | undefined): ReadJson {
  const { bytes, isCurrent, problem } = useFile(file);
  const parsed = useMemo(() => bytes && parsedOf(bytes), [bytes]);
  const failed = isCurrent ? (parsed?.problem ?? problem) : undefined;
  return {
    json: parsed?.json,
    isCurrent,
    ...(parsed?.text !== undefined && { text: parsed.text }),
    ...(failed !== undefined && { problem: failed }),
  };
}

function parsedOf(bytes: Uint8Array): { text: string; json?: unknown; problem?: string } {
  const text = new TextDecoder().decode(bytes);
  try {
    return { text, json: JSON.parse(text) as unknown };
  } catch {
    return { text, problem: "The file is not JSON." };
  }
}

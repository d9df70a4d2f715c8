import type { QueryError } from "@lossless/protocol/query-error";
import { useEffect, useState } from "preact/hooks";
import type { AskFields } from "./use-completions.ts";

const offered = 3;

/**
 * Describes an error in a query. For an unknown name the language can only guess a field; existing
 * fields are suggested instead.
 */
export function useErrorText(error: QueryError | undefined, ask: AskFields): string {
  const unknown = error?.unknownName;
  const [known, setKnown] = useState<{ unknown: string; fields: readonly string[] }>();
  useEffect(() => {
    if (unknown === undefined) return;
    const stopped = new AbortController();
    const look = async () => {
      const fields = await nearFields(unknown, ask, stopped.signal);
      setKnown({ unknown, fields });
    };
    // Without a reply there are no suggestions.
    look().catch(() => undefined);
    return () => stopped.abort();
  }, [unknown, ask]);
  if (error === undefined || unknown === undefined) return error?.message ?? "";
  return error.messageWith(known?.unknown === unknown ? known.fields : []);
}

/** Fields that end with the name, else with its last part. */
export async function nearFields(
  written: string,
  ask: AskFields,
  signal: AbortSignal,
): Promise<string[]> {
  const last = written.split(/[./]/).at(-1)!;
  for (const text of [`.${written}`, `.${last}`, last]) {
    const { fields } = await ask({ text, limit: offered }, signal);
    if (fields.length > 0) return fields.map(({ field }) => field);
  }
  return [];
}

import type { QueryError } from "@lossless/protocol/query-error";
import { useEffect, useState } from "preact/hooks";
import type { AskFields } from "./use-completions.ts";

const offered = 3;
const guessedField = /; did you mean (meta\..+)\?$/;

/**
 * What is wrong with a query, in words. Where a name stands that is no field, the language can only
 * guess that it is one of meta: what is offered instead are fields that there are.
 */
export function useErrorText(error: QueryError | undefined, ask: AskFields): string {
  const guessed = error === undefined ? undefined : guessedField.exec(error.message)?.[1];
  const [known, setKnown] = useState<{ guessed: string; fields: readonly string[] }>();
  useEffect(() => {
    if (guessed === undefined) return;
    const stopped = new AbortController();
    const look = async () => {
      const fields = await nearFields(guessed, ask, stopped.signal);
      setKnown({ guessed, fields });
    };
    // Without an answer nothing is offered.
    look().catch(() => undefined);
    return () => stopped.abort();
  }, [guessed, ask]);
  if (error === undefined || guessed === undefined) return error?.message ?? "";
  const said = error.message.replace(guessedField, "");
  const fields = known?.guessed === guessed ? known.fields : [];
  return fields.length === 0 ? said : `${said}; did you mean ${fields.join(" or ")}?`;
}

/** Those whose names end so, else whose last part does. */
export async function nearFields(
  guessed: string,
  ask: AskFields,
  signal: AbortSignal,
): Promise<string[]> {
  const written = guessed.slice("meta.".length);
  const last = written.split(/[./]/).at(-1)!;
  for (const text of [`.${written}`, `.${last}`, last]) {
    const { fields } = await ask({ text, limit: offered }, signal);
    if (fields.length > 0) return fields.map(({ field }) => field);
  }
  return [];
}

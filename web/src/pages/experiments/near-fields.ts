import type { QueryError } from "@lossless/protocol/query-error";
import { useEffect, useState } from "preact/hooks";
import type { AskFields } from "./use-completions.ts";

const offered = 3;
const guessedField = /; did you mean (meta\..+)\?$/;

/**
 * Describes an error in a query. For an unknown name the language can only guess a field of meta;
 * existing fields are suggested instead.
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
    // Without a reply there are no suggestions.
    look().catch(() => undefined);
    return () => stopped.abort();
  }, [guessed, ask]);
  if (error === undefined || guessed === undefined) return error?.message ?? "";
  const said = error.message.replace(guessedField, "");
  const fields = known?.guessed === guessed ? known.fields : [];
  return fields.length === 0 ? said : `${said}; did you mean ${fields.join(" or ")}?`;
}

/** Fields that end with the name, else with its last part. */
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

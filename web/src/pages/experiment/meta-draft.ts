/** A value of a meta being edited: its kind, and the text of the field. */
export interface MetaDraft {
  kind: MetaKind;
  text: string;
}

export const metaKinds = ["number", "text", "true or false", "JSON"] as const;
export type MetaKind = (typeof metaKinds)[number];

export function draftOf(value: unknown): MetaDraft {
  if (typeof value === "string") return { kind: "text", text: value };
  if (typeof value === "boolean") return { kind: "true or false", text: String(value) };
  if (typeof value === "number") return { kind: "number", text: JSON.stringify(value) };
  return { kind: "JSON", text: JSON.stringify(value, undefined, 2) };
}

/** Changes the kind of a draft; the text stays where it is valid. */
export function asKind({ kind, text }: MetaDraft, next: MetaKind): MetaDraft {
  if (next === "true or false") return { kind: next, text: text === "true" ? "true" : "false" };
  if (next === "JSON" && kind === "text") return { kind: next, text: JSON.stringify(text) };
  if (next === "text" && kind === "JSON") {
    const value = valueOr(text);
    return { kind: next, text: typeof value === "string" ? value : text };
  }
  return { kind: next, text };
}

/** Parses the draft. Throws an Error that says what is wrong. */
export function valueOfDraft({ kind, text }: MetaDraft): unknown {
  switch (kind) {
    case "text":
      return text;
    case "true or false":
      return text === "true";
    case "number":
      if (!/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim())) {
        throw new Error("Enter a number, such as 0.001 or 3e-4.");
      }
      break;
    case "JSON":
  }
  const value = parsed(text);
  if (holdsRounded(value)) {
    // Such values can be sent by programs, whose digits the service keeps.
    throw new Error("A browser would round this number. Save it as text to keep all its digits.");
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`This is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

function valueOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value has integers beyond 2^53, or numbers beyond doubles. */
function holdsRounded(value: unknown): boolean {
  if (typeof value === "number") {
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  }
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsRounded);
}

/** Returns the value at a path of a meta; undefined: there is none. */
export function valueAtPath(meta: unknown, path: readonly string[]): unknown {
  let value = meta;
  for (const name of path) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject || !Object.hasOwn(value as object, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

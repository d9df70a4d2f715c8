/** Conversion between an experiment's meta and the params of MLflow's clients. */

export interface Param {
  key: string;
  value: string;
}

/** Longest param, in UTF-16 units. */
const charactersMax = 6_000;

/** The leaves of a meta as params: dotted keys, texts as they are and all else as JSON. */
export function* metaParams(meta: object, above = ""): Generator<Param> {
  for (const [name, value] of Object.entries(meta) as [string, unknown][]) {
    const key = above === "" ? name : `${above}.${name}`;
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* metaParams(value, key);
    else yield { key, value: cut(typeof value === "string" ? value : JSON.stringify(value)) };
  }
}

/** Keeps a surrogate pair whole or leaves it out. */
function cut(text: string): string {
  const start = text.slice(0, charactersMax);
  return start.length < text.length && /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}

/** The number that a param's text reads as in queries and tables; undefined: it is only text. */
export function paramNumber(value: string): number | undefined {
  const isNumber = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(value);
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

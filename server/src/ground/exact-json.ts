/** JSON in which every number keeps the digits that it was written with, as a WrittenNumber. */
export function parseExact(text: string): unknown {
  return parse(text, keepDigits);
}

/** TypeScript does not know yet that a reviver receives the source text of a value. */
const parse = JSON.parse as (
  text: string,
  revive: (name: string, value: unknown, written: { source?: string }) => unknown,
) => unknown;

/** A number as written: JSON.parse rounds numbers that no double represents. */
export class WrittenNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

function keepDigits(_: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === "number" ? new WrittenNumber(source!) : value;
}

/** Returns JSON with every number as it was written. */
export function written(value: unknown): string {
  if (value instanceof WrittenNumber) return value.source;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  const members = Object.entries(value).map(
    ([name, own]) => `${JSON.stringify(name)}:${written(own)}`,
  );
  return `{${members.join(",")}}`;
}

/** The same for equal numbers, and whatever the order of an object's members. */
export function identityOf(value: unknown): string {
  if (value instanceof WrittenNumber) return exactNumber(value.source);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(identityOf).join(",")}]`;
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, own]) => `${JSON.stringify(name)}:${identityOf(own)}`);
  return `{${members.join(",")}}`;
}

/** A decimal number: 1, 1.0, 10e-1 and 0.1e1 have one text, with all of their digits. */
function exactNumber(source: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)!;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

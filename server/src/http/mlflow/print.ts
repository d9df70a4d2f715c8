/**
 * JSON as protobuf prints it for MLflow's clients: 64-bit integers with all their digits, doubles
 * that are not finite as words, and what is undefined not at all.
 */
export function printMessage(value: unknown): Buffer {
  return Buffer.from(printed(value));
}

function printed(value: unknown): string {
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "number")
    return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(printed).join(",")}]`;
  const members = Object.entries(value).flatMap(([name, own]) =>
    own === undefined ? [] : [`${JSON.stringify(name)}:${printed(own)}`],
  );
  return `{${members.join(",")}}`;
}

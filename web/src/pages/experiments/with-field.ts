import { fieldText, parseField } from "@lossless/protocol/query-field";
import { readQuery } from "@lossless/protocol/query-language";

/** Replaces a field wherever the query has it, however it is spelled there. */
export function withField(query: string, field: string, other: string): string {
  const places = readQuery(query).marks.filter(({ role, start, end }) => {
    return role === "field" && fieldText(parseField(query.slice(start, end))) === field;
  });
  return places.reduceRight(
    (text, { start, end }) => text.slice(0, start) + other + text.slice(end),
    query,
  );
}

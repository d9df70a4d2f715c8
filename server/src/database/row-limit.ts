import type { Reader, Value } from "./database.ts";

/** Throws the refusal where `most` rows are counted already: one more would be too many. */
export async function requireFewer(
  reader: Reader,
  most: number,
  refusal: () => Error,
  rows: string,
  ...values: Value[]
): Promise<void> {
  const { count } = (await reader.get<{ count: number }>(
    `SELECT count(*) AS count FROM ${rows}`,
    ...values,
  ))!;
  if (count >= most) throw refusal();
}

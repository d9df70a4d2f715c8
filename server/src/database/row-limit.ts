import { ServiceError } from "../ground/errors.ts";
import type { Reader, Value } from "./database.ts";

/** Throws `conflict` where `most` rows are counted already: one more would be too many. */
export async function requireFewer(
  reader: Reader,
  most: number,
  sentence: string,
  rows: string,
  ...values: Value[]
): Promise<void> {
  const { count } = (await reader.get<{ count: number }>(
    `SELECT count(*) AS count FROM ${rows}`,
    ...values,
  ))!;
  if (count >= most) throw new ServiceError("conflict", sentence);
}

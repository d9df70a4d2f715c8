import type { LosslessClient } from "@lossless/client";
import { fieldText } from "@lossless/protocol/query-field";

/** Existing fields that a name may mean. */
export async function nearFields(
  client: LosslessClient,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // A field that no experiment has is answered with those that may be meant.
  const query = fieldText({ kind: "metric", name, stat: "last" });
  const { unknown } = await client.views.experiments({ query, limit: 0 }, signal);
  return unknown === undefined ? [query] : unknown.flatMap(({ near }) => near);
}

import type { RetentionFind, TriedRetentionRule, TryRetentionRuleBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { readShownNames } from "../../experiments/mlflow/shown-names.ts";
import { readBehind } from "../../views/table/summaries-behind.ts";
import { findByRule } from "./find.ts";
import { type Find, readRule } from "./rule.ts";
import { checkRule } from "./set.ts";

/** `retention.try`: lists what a rule would take now, without taking it. */
export async function tryRule(
  reader: Reader,
  { organizationId, body }: { organizationId: string; body: TryRetentionRuleBody },
  text: ReplyText,
  moment: Moment,
): Promise<void> {
  const { id = "", rule: content } = body;
  if (id !== "") await readRule(reader, organizationId, id);
  const rule = { id, organizationId, content };
  await checkRule(reader, rule, moment);
  const found: Find[] = [];
  let total = 0;
  for await (const find of findByRule(reader, rule, moment)) {
    total++;
    if (found.length < limits.retentionShownMax) found.push(find);
  }
  const finds = await shownOf(reader, organizationId, found);
  const { behind } = await readBehind(reader, organizationId, moment.nowMs);
  await text.add(JSON.stringify({ finds, total, behind } satisfies TriedRetentionRule));
}

/** Returns finds as the interface shows them, with the names of experiments. */
async function shownOf(
  reader: Reader,
  organizationId: string,
  found: readonly Find[],
): Promise<RetentionFind[]> {
  const experiments = found.filter(({ version }) => version === null);
  const ids = experiments.map(({ subject }) => subject);
  const names = await readShownNames(reader, organizationId, ids);
  return found.map((one) => {
    const { revision: _, ...find } = one;
    return { ...find, experimentName: names.get(find.subject) ?? null };
  });
}

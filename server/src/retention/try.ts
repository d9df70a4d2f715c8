import type { RetentionFind, TriedRetentionRule, TryRetentionRuleBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { readBehind } from "../views/table/summaries-behind.ts";
import { findByRule } from "./find.ts";
import { readRule } from "./rule.ts";
import { checkRule } from "./set.ts";

/** `retention.try`: what a rule would take now; it takes nothing. */
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
  const finds: RetentionFind[] = [];
  let total = 0;
  for await (const { revision: _, ...find } of findByRule(reader, rule, moment)) {
    total++;
    if (finds.length < limits.retentionShownMax) finds.push(find);
  }
  const { behind } = await readBehind(reader, organizationId, moment.nowMs);
  await text.add(JSON.stringify({ finds, total, behind } satisfies TriedRetentionRule));
}

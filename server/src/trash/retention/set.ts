import type { RetentionRule, RetentionRuleContent } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../../database/access/role.ts";
import type { Actor } from "../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import {
  deleteNamed,
  type Namesakes,
  putNamed,
  requireFewerNamed,
  requireSeen,
} from "../../experiments/saved/named-rows.ts";
import { checkExperimentsRule } from "./find-experiments.ts";
import { scopeOf, readRule, type Rule } from "./rule.ts";

interface Setting {
  organizationId: string;
  by: Actor;
}

interface NewRule extends Setting {
  name: string;
  rule: RetentionRuleContent;
}

interface SeenRule extends Setting {
  id: string;
  revision: number;
}

/** Throws for a rule that cannot be looked for. */
export async function checkRule(
  reader: Reader,
  { content, ...whose }: Rule,
  moment: Moment,
): Promise<void> {
  if (content.kind === "experiments")
    await checkExperimentsRule(reader, { ...whose, content }, moment);
}

/** `retention.create`; like every change of rules it needs the role admin. */
export async function createRule(
  transaction: Transaction,
  input: NewRule,
  moment: Moment,
): Promise<RetentionRule> {
  await requireRole(transaction, input.organizationId, input.by.actor, "admin");
  return put(transaction, input, moment);
}

/** `retention.change`: changes a rule unless another member has changed it since. */
export async function changeRule(
  transaction: Transaction,
  input: NewRule & SeenRule,
  moment: Moment,
): Promise<RetentionRule> {
  await readSeen(transaction, input);
  return put(transaction, input, moment);
}

/** `retention.delete` */
export async function deleteRule(
  transaction: Transaction,
  { organizationId, by, ...seen }: SeenRule,
  moment: Moment,
): Promise<void> {
  const { id, name } = await readSeen(transaction, { organizationId, by, ...seen });
  const row = { organizationId, by, id, name, action: "retention.removed" };
  await deleteNamed(transaction, "retention_rule", row, moment);
}

async function readSeen(
  transaction: Transaction,
  { organizationId, by, id, revision }: SeenRule,
): Promise<RetentionRule> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  return requireSeen("rule", await readRule(transaction, organizationId, id), revision);
}

async function put(
  transaction: Transaction,
  { id: present, organizationId, by, name, rule }: NewRule & { id?: string },
  moment: Moment,
): Promise<RetentionRule> {
  const id = present ?? newId(moment.nowMs);
  await checkRule(transaction, { id, organizationId, content: rule }, moment);
  if (present === undefined) await requireFewerNamed(transaction, namesakes(organizationId));
  const content = JSON.stringify(rule);
  const columns = { kind: rule.kind, place: scopeOf(rule), content, due_at_ms: moment.nowMs };
  const row = { organizationId, by, id, name, columns, action: "retention.set" };
  await putNamed(transaction, namesakes(organizationId), row, moment);
  return readRule(transaction, organizationId, id);
}

function namesakes(organizationId: string): Namesakes {
  return {
    table: "retention_rule",
    noun: "rule",
    where: "organization = $1",
    values: [organizationId],
    most: limits.retentionRulesMax,
    owner: "An organization has",
    whose: "",
  };
}

import { requireFewer } from "../../database/row-limit.ts";
import type { RetentionRule, RetentionRuleContent } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../../database/access/role.ts";
import { type Actor, audit } from "../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import { nameTaken, requireSeen, tooManyKept } from "../../ground/kept-under-names.ts";
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
  { organizationId, by, name, rule }: NewRule,
  moment: Moment,
): Promise<RetentionRule> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  const id = newId(moment.nowMs);
  await checkRule(transaction, { id, organizationId, content: rule }, moment);
  await requireFree(transaction, organizationId, name, id);
  await requireFewerRules(transaction, organizationId);
  await transaction.run(
    `INSERT INTO retention_rule (id, organization, name, kind, place, content, revision, created_by,
       created_at_ms, changed_by, changed_at_ms, due_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $7, $8, $8)`,
    id,
    organizationId,
    name,
    rule.kind,
    scopeOf(rule),
    JSON.stringify(rule),
    by.actor,
    moment.nowMs,
  );
  await note(transaction, { organizationId, by, id, name }, "set", moment);
  return readRule(transaction, organizationId, id);
}

/** `retention.change`: changes a rule unless another member has changed it since. */
export async function changeRule(
  transaction: Transaction,
  { name, rule, ...seen }: NewRule & SeenRule,
  moment: Moment,
): Promise<RetentionRule> {
  const { organizationId, by, id } = seen;
  await requireRole(transaction, organizationId, by.actor, "admin");
  await readSeen(transaction, seen);
  await checkRule(transaction, { id, organizationId, content: rule }, moment);
  await requireFree(transaction, organizationId, name, id);
  await transaction.run(
    `UPDATE retention_rule SET name = $2, kind = $3, place = $4, content = $5, revision = revision + 1,
       changed_by = $6, changed_at_ms = $7, due_at_ms = $7 WHERE id = $1`,
    id,
    name,
    rule.kind,
    scopeOf(rule),
    JSON.stringify(rule),
    by.actor,
    moment.nowMs,
  );
  await note(transaction, { organizationId, by, id, name }, "set", moment);
  return readRule(transaction, organizationId, id);
}

/** `retention.delete` */
export async function deleteRule(
  transaction: Transaction,
  seen: SeenRule,
  moment: Moment,
): Promise<void> {
  const { organizationId, by, id } = seen;
  await requireRole(transaction, organizationId, by.actor, "admin");
  const { name } = await readSeen(transaction, seen);
  await transaction.run("DELETE FROM retention_rule WHERE id = $1", id);
  await note(transaction, { organizationId, by, id, name }, "removed", moment);
}

/** Reads the rule under lockOrganization: it stays unchanged until the transaction ends. */
async function readSeen(
  transaction: Transaction,
  { organizationId, id, revision }: SeenRule,
): Promise<RetentionRule> {
  return requireSeen("rule", await readRule(transaction, organizationId, id), revision);
}

async function requireFree(
  transaction: Transaction,
  organizationId: string,
  name: string,
  id: string,
): Promise<void> {
  const other = await transaction.get(
    "SELECT id FROM retention_rule WHERE organization = $1 AND name = $2 AND id <> $3",
    organizationId,
    name,
    id,
  );
  if (other !== undefined) throw nameTaken("rule", "");
}

function requireFewerRules(transaction: Transaction, organizationId: string): Promise<void> {
  const most = limits.retentionRulesMax;
  return requireFewer(
    transaction,
    most,
    () => tooManyKept("An organization has", most, "rule"),
    "retention_rule WHERE organization = $1",
    organizationId,
  );
}

async function note(
  transaction: Transaction,
  { organizationId, by, id, name }: Setting & { id: string; name: string },
  what: "set" | "removed",
  moment: Moment,
): Promise<void> {
  const entry = { organizationId, action: `retention.${what}`, subject: id, details: { name } };
  await audit(transaction, { ...entry, ...by }, moment);
}

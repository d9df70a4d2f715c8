import type { RetentionRuleContent } from "@lossless/protocol";
import { lockOrganization } from "../../database/access/organization-lock.ts";
import { findArtifact } from "../../artifacts/rows/artifact.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { trashExperiments, type Trashing } from "../trash-experiments.ts";
import { trashVersions } from "../trash-versions.ts";
import { findByRule } from "./find.ts";
import { isReached, countReach, type RuleOfExperiments } from "./find-experiments.ts";
import { artifactReach, isUnnamed, keptOf, type RuleOfVersions } from "./find-versions.ts";
import type { Find, Rule } from "./rule.ts";

const lookEveryMs = 60 * 60_000;

/** A due rule, as read. */
export interface DueRule extends Rule {
  name: string;
  revision: number;
}

/** Returns the rule that has waited longest for its turn; undefined when none waits. */
export async function dueRule(reader: Reader, { nowMs }: Moment): Promise<DueRule | undefined> {
  const row = await reader.get<Omit<DueRule, "content"> & { content: string }>(
    `SELECT id, organization AS "organizationId", name, content, revision FROM retention_rule
     WHERE due_at_ms <= $1 AND organization NOT IN (
       SELECT id FROM organization WHERE trashed_at_ms IS NOT NULL)
     ORDER BY due_at_ms, id LIMIT 1`,
    nowMs,
  );
  return row && { ...row, content: JSON.parse(row.content) as RetentionRuleContent };
}

/** Returns the first finds of a rule. */
export async function readFinds(
  reader: Reader,
  rule: Rule,
  limit: number,
  moment: Moment,
): Promise<Find[]> {
  const finds: Find[] = [];
  for await (const find of findByRule(reader, rule, moment)) {
    finds.push(find);
    if (finds.length === limit) break;
  }
  return finds;
}

export interface TakeFinds {
  rule: DueRule;
  finds: Find[];
  daysDefault: number;
}

/** The experiments among finds, whose revisions are compared. */
export function experimentsOf({ rule, finds }: TakeFinds): string[] {
  return rule.content.kind === "experiments" ? finds.map(({ subject }) => subject) : [];
}

/**
 * `retention.take`: moves a rule's finds to the trash and returns their number. Skips finds changed
 * since: an experiment changed in any way, or whose folder or rules no longer include it, and
 * versions that are now among those to keep.
 */
export async function takeFinds(
  transaction: Transaction,
  { rule, finds, daysDefault }: TakeFinds,
  context: Counting,
): Promise<number> {
  const { id, organizationId, revision, name, content } = rule;
  // No rule and no folder changes until the end.
  await lockOrganization(transaction, organizationId);
  const found = await transaction.get(
    "SELECT id FROM retention_rule WHERE id = $1 AND revision = $2",
    id,
    revision,
  );
  if (found === undefined) return 0;
  const by = { actor: "retention", address: null };
  const trashing = { organizationId, daysDefault, by, rule: name };
  return content.kind === "experiments"
    ? takeExperiments(transaction, { ...rule, content }, finds, trashing, context)
    : takeVersions(transaction, { ...rule, content }, finds, trashing, context);
}

async function takeExperiments(
  transaction: Transaction,
  rule: RuleOfExperiments,
  finds: readonly Find[],
  trashing: Trashing,
  context: Counting,
): Promise<number> {
  const reach = await countReach(transaction, rule);
  const ids = JSON.stringify(finds.map(({ subject }) => subject));
  const rows = await transaction.all<{ id: string; folder: string | null }>(
    `SELECT id, folder FROM experiment WHERE ${transaction.isOneOf("id", "$1")} AND trashed_at_ms IS NULL
     ORDER BY id${transaction.forUpdate}`,
    ids,
  );
  const heads = await transaction.all<{ id: string; revision: number }>(
    `SELECT experiment AS id, revision + told_revision AS revision FROM head
     WHERE ${transaction.isOneOf("experiment", "$1")}
     ORDER BY experiment${transaction.forUpdate}`,
    ids,
  );
  const revisions = new Map(heads.map(({ id, revision }) => [id, revision]));
  const seen = new Map(finds.map(({ subject, revision }) => [subject, revision]));
  const experimentIds = rows
    .filter(({ id, folder }) => isReached(reach, folder) && revisions.get(id) === seen.get(id))
    .map(({ id }) => id);
  if (experimentIds.length > 0)
    await trashExperiments(transaction, { ...trashing, experimentIds }, context);
  return experimentIds.length;
}

async function takeVersions(
  transaction: Transaction,
  rule: RuleOfVersions,
  finds: readonly Find[],
  trashing: Trashing,
  context: Counting,
): Promise<number> {
  const { organizationId } = trashing;
  const reaches = await artifactReach(transaction, rule);
  let taken = 0;
  for (const artifact of [...new Set(finds.map(({ name }) => name))].sort()) {
    const found = await findArtifact(transaction, { organizationId, artifact }, { lock: true });
    if (found === undefined || !reaches(artifact)) continue;
    const uploads = finds.filter(({ name }) => name === artifact).map(({ subject }) => subject);
    const rows = await transaction.all<{ name: string }>(
      `SELECT name FROM version WHERE artifact = $1 AND ${transaction.isOneOf("upload", "$2")}
         AND restored_at_ms IS NULL AND ${isUnnamed("version")}
         AND (SELECT count(*) FROM version AS above WHERE above.artifact = $1 AND above.name > version.name) >= $3
       ORDER BY name`,
      found.id,
      JSON.stringify(uploads),
      keptOf(rule.content),
    );
    const versions = rows.map(({ name }) => name);
    if (versions.length > 0)
      await trashVersions(transaction, { ...trashing, artifact, versions }, context);
    taken += versions.length;
  }
  return taken;
}

/** `retention.looked`: with `isDone` it is looked for again in an hour, otherwise at once. */
export async function ruleLooked(
  transaction: Transaction,
  { rule, isDone }: { rule: Pick<DueRule, "id" | "revision">; isDone: boolean },
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    "UPDATE retention_rule SET looked_at_ms = $3, due_at_ms = $4 WHERE id = $1 AND revision = $2",
    rule.id,
    rule.revision,
    nowMs,
    isDone ? nowMs + lookEveryMs : nowMs,
  );
}

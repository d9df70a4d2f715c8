import type { RetentionFind, RetentionRule, RetentionRuleContent } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { namesToFolder } from "../../experiments/folders/path.ts";
import { ServiceError } from "../../ground/errors.ts";
import { shownEmail } from "../../accounts/rows/people/person.ts";

/** A rule and its organization. With an empty id it is only tried. */
export interface Rule {
  id: string;
  organizationId: string;
  content: RetentionRuleContent;
}

/**
 * An experiment or version that a rule takes; revision is the experiment's, which any change would
 * raise.
 */
export interface Find extends Omit<RetentionFind, "experimentName"> {
  revision: number;
}

interface RuleRow extends Omit<RetentionRule, "rule" | "folder"> {
  content: string;
}

const columns = `SELECT retention_rule.id, retention_rule.name, retention_rule.content, retention_rule.revision,
    maker.email AS "createdBy", retention_rule.created_at_ms AS "createdAtMs",
    changer.email AS "changedBy", retention_rule.changed_at_ms AS "changedAtMs",
    retention_rule.looked_at_ms AS "lookedAtMs"
  FROM retention_rule JOIN person AS maker ON maker.id = retention_rule.created_by
    JOIN person AS changer ON changer.id = retention_rule.changed_by
  WHERE retention_rule.organization = $1`;

/** `retention.list`: all rules of an organization, by name. */
export async function listRules(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<{ rules: RetentionRule[] }> {
  const rows = await reader.all<RuleRow>(`${columns} ORDER BY name`, organizationId);
  const rules: RetentionRule[] = [];
  for (const row of rows) rules.push(await shownRule(reader, organizationId, row));
  return { rules };
}

/** Throws `not_found`. */
export async function readRule(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<RetentionRule> {
  const row = await reader.get<RuleRow>(
    `${columns} AND retention_rule.id = $2`,
    organizationId,
    id,
  );
  if (row === undefined) throw new ServiceError("not_found", "There is no rule with this id.");
  return shownRule(reader, organizationId, row);
}

async function shownRule(
  reader: Reader,
  organizationId: string,
  { content, createdBy, changedBy, ...row }: RuleRow,
): Promise<RetentionRule> {
  const rule = JSON.parse(content) as RetentionRuleContent;
  const folderId = rule.kind === "experiments" ? rule.folderId : null;
  return {
    ...row,
    rule,
    folder: folderId === null ? [] : await namesToFolder(reader, organizationId, folderId),
    createdBy: shownEmail(createdBy),
    changedBy: shownEmail(changedBy),
  };
}

/** The folder, or the path of artifacts, that a rule is about with all below it; '' is all. */
export function scopeOf(content: RetentionRuleContent): string {
  return (content.kind === "experiments" ? content.folderId : content.under) ?? "";
}

/** Places that have rules of the same kind of their own: a rule above does not reach them. */
export async function otherPlaces(
  reader: Reader,
  { id, organizationId, content }: Rule,
): Promise<string[]> {
  const rows = await reader.all<{ place: string }>(
    `SELECT DISTINCT place FROM retention_rule
     WHERE organization = $1 AND kind = $2 AND id <> $3 AND place <> $4`,
    organizationId,
    content.kind,
    id,
    scopeOf(content),
  );
  return rows.map(({ place }) => place);
}

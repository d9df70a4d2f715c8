import type { RetentionFind, RetentionRule, RetentionRuleContent } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { namesToFolder } from "../../experiments/folders/path.ts";
import { ServiceError } from "../../ground/errors.ts";
import { findNamed, type NamedRow } from "../../experiments/saved/named-rows.ts";

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

type RuleRow = NamedRow & Pick<RetentionRule, "lookedAtMs"> & { content: string };

/** `retention.list`: all rules of an organization, by name. */
export async function listRules(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<{ rules: RetentionRule[] }> {
  return { rules: await find(reader, "ORDER BY name", organizationId) };
}

/** Throws `not_found`. */
export async function readRule(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<RetentionRule> {
  const [rule] = await find(reader, "AND retention_rule.id = $2", organizationId, id);
  if (rule === undefined) throw new ServiceError("not_found", "There is no rule with this id.");
  return rule;
}

async function find(
  reader: Reader,
  more: string,
  organizationId: string,
  ...values: string[]
): Promise<RetentionRule[]> {
  const columns = `retention_rule.content, retention_rule.looked_at_ms AS "lookedAtMs"`;
  const selected = { table: "retention_rule", columns, more } as const;
  const rules: RetentionRule[] = [];
  for (const row of await findNamed<RuleRow>(reader, selected, organizationId, ...values)) {
    const { content, ...facts } = row;
    const rule = JSON.parse(content) as RetentionRuleContent;
    const folderId = rule.kind === "experiments" ? rule.folderId : null;
    const folder = folderId === null ? [] : await namesToFolder(reader, organizationId, folderId);
    rules.push({ ...facts, rule, folder });
  }
  return rules;
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

import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  CreateRetentionRuleBody,
  RetentionRule,
  RetentionRuleContent,
  TriedRetentionRule,
} from "./wire.ts";

/**
 * Rules that trash old or surplus experiments and versions automatically. Every member may read and
 * try them; setting and removing needs a person with the role admin. Changes based on an old
 * revision are refused: SavedConflictError.
 */
export class Retention {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists the rules, by name. */
  async list(signal?: AbortSignal): Promise<RetentionRule[]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listRetentionRules, call)).rules;
  }

  /** Tries a rule: what it would trash now, and why. `id`: the rule that it would replace. */
  try(rule: RetentionRuleContent, id?: string): Promise<TriedRetentionRule> {
    const body = { rule, ...(id !== undefined && { id }) };
    return this.#calls.json(endpoints.tryRetentionRule, { body, repeatable: true });
  }

  /**
   * Creates a rule. RequestError `conflict` for a taken name, so repeating a lost call makes no
   * duplicate.
   */
  create(body: CreateRetentionRuleBody): Promise<RetentionRule> {
    return this.#calls.json(endpoints.createRetentionRule, { body, repeatable: false });
  }

  /** Replaces the rule as seen at `revision`. */
  change(
    { id, revision }: Pick<RetentionRule, "id" | "revision">,
    { name, rule }: CreateRetentionRuleBody,
  ): Promise<RetentionRule> {
    const call = { query: { id }, body: { revision, name, rule }, repeatable: false };
    return this.#calls.json(endpoints.changeRetentionRule, call);
  }

  /** Deletes a rule. What it trashed stays in the trash. */
  async delete({ id, revision }: Pick<RetentionRule, "id" | "revision">): Promise<void> {
    const query = { id, revision: String(revision) };
    await this.#calls.reply(endpoints.deleteRetentionRule, { query, repeatable: false });
  }
}

/** Describes in words what a rule trashes. */
export function ruleWords({ rule, folder }: Pick<RetentionRule, "rule" | "folder">): string {
  if (rule.kind === "versions") {
    const where = `versions of ${rule.under ?? "all artifacts"}`;
    if (rule.keepLast === null && rule.olderThanDays === null) return `no ${where}`;
    const old = rule.olderThanDays === null ? [] : [olderThan(rule.olderThanDays)];
    return [where, ...old, `except the last ${rule.keepLast ?? 1} of each`].join(", ");
  }
  const where = `experiments of ${folder.length === 0 ? "all folders" : folder.join("/")}`;
  if (rule.olderThanDays === null) return `no ${where}`;
  const { keepBest } = rule;
  return [
    `${where}, ${rule.statuses.join(" or ")}, ${olderThan(rule.olderThanDays)}`,
    ...(rule.query === undefined ? [] : [`only ${rule.query}`]),
    ...(rule.unless === undefined ? [] : [`except ${rule.unless}`]),
    ...(keepBest
      ? [`except the ${keepBest.count} with the ${keepBest.order} ${keepBest.field}`]
      : []),
  ].join(", ");
}

function olderThan(days: number): string {
  return `older than ${days} ${days === 1 ? "day" : "days"}`;
}

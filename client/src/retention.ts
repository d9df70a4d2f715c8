import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  CreateRetentionRuleBody,
  RetentionRule,
  RetentionRuleContent,
  TriedRetentionRule,
} from "./wire.ts";

/**
 * Rules by which what is old, or too many, goes to the trash by itself. Everybody reads and tries
 * them; setting and removing needs a person with the role admin. What somebody else has changed
 * since it was read stays: SavedConflictError.
 */
export class Retention {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** By name. */
  async list(signal?: AbortSignal): Promise<RetentionRule[]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listRetentionRules, call)).rules;
  }

  /** What the rule would take now, and why. `id`: the rule that it is to replace. */
  try(rule: RetentionRuleContent, id?: string): Promise<TriedRetentionRule> {
    const body = { rule, ...(id !== undefined && { id }) };
    return this.#calls.json(endpoints.tryRetentionRule, { body, repeatable: true });
  }

  /** A name that is taken is RequestError `conflict`; so a lost reply doubles nothing. */
  create(body: CreateRetentionRuleBody): Promise<RetentionRule> {
    return this.#calls.json(endpoints.createRetentionRule, { body, repeatable: false });
  }

  /** Sets another rule in place of the one that was seen. */
  change(
    { id, revision }: Pick<RetentionRule, "id" | "revision">,
    { name, rule }: CreateRetentionRuleBody,
  ): Promise<RetentionRule> {
    const call = { query: { id }, body: { revision, name, rule }, repeatable: false };
    return this.#calls.json(endpoints.changeRetentionRule, call);
  }

  /** What it took stays in the trash. */
  async delete({ id, revision }: Pick<RetentionRule, "id" | "revision">): Promise<void> {
    const query = { id, revision: String(revision) };
    await this.#calls.reply(endpoints.deleteRetentionRule, { query, repeatable: false });
  }
}

/** What a rule takes, in words. */
export function ruleWords({ rule, folder }: Pick<RetentionRule, "rule" | "folder">): string {
  if (rule.kind === "versions") {
    const where = `versions of ${rule.under ?? "all artifacts"}`;
    if (rule.keepLast === null && rule.olderThanDays === null) return `no ${where}`;
    const old = rule.olderThanDays === null ? [] : [olderThan(rule.olderThanDays)];
    return [where, ...old, `but the last ${rule.keepLast ?? 1} of each`].join(", ");
  }
  const where = `experiments of ${folder.length === 0 ? "all folders" : folder.join("/")}`;
  if (rule.olderThanDays === null) return `no ${where}`;
  const { keepBest } = rule;
  return [
    `${where}, ${rule.statuses.join(" or ")}, ${olderThan(rule.olderThanDays)}`,
    ...(rule.query === undefined ? [] : [`only ${rule.query}`]),
    ...(rule.unless === undefined ? [] : [`but ${rule.unless}`]),
    ...(keepBest ? [`but the ${keepBest.count} of the ${keepBest.order} ${keepBest.field}`] : []),
  ].join(", ");
}

function olderThan(days: number): string {
  return `older than ${days} ${days === 1 ? "day" : "days"}`;
}

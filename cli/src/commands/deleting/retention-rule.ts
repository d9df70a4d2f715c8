import type { LosslessClient, RetentionRule, RetentionRuleContent } from "@lossless/client";
import type { ExperimentStatus } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import {
  type CommandOptions,
  CommandError,
  type Invocation,
  type OptionValues,
  UsageError,
} from "../../command.ts";
import { clientOf } from "../../connection.ts";
import { printable } from "../../output.ts";
import { folderAt, folderPath } from "../../tree-selection.ts";

/** Options that describe a rule, both for setting and for trying it. */
export const ruleOptions: CommandOptions = {
  folder: { type: "string" },
  status: { type: "string", multiple: true },
  query: { type: "string" },
  unless: { type: "string" },
  best: { type: "string" },
  by: { type: "string" },
  greatest: { type: "boolean" },
  artifacts: { type: "string" },
  keep: { type: "string" },
  "older-than": { type: "string" },
  never: { type: "boolean" },
};

export const ruleHelp = `
Of experiments:
  --folder PATH      experiments in this folder and below it; / is all experiments
  --older-than DAYS  that ended, and had their last point, at least this many days ago
  --status STATUS    only those that are done, error or running; may be repeated (done and error)
  --query Q          only those that this query finds: docs/query.md
  --unless Q         except those that this query finds, such as 'tag = keep'
  --best N --by F    except the N that have the least F, such as metric.loss.min
  --greatest         with --best: the greatest

Of versions:
  --artifacts PATH   this artifact and all below this path; / is all artifacts
  --keep N           except the last N versions of each (1)
  --older-than DAYS  only those committed at least this many days ago

  --never            instead of the others: nothing. Rules of folders and paths above do not apply here.
`;

/** Builds the rule from the options. */
export async function ruleOf(invocation: Invocation): Promise<RetentionRuleContent> {
  const { values } = invocation;
  const folder = values.text("folder");
  const artifacts = values.text("artifacts");
  if ((folder === undefined) === (artifacts === undefined))
    throw new UsageError("give --folder PATH or --artifacts PATH; / means all");
  const olderThanDays = daysOf(values);
  if (artifacts !== undefined) {
    refuse(values, ["status", "query", "unless", "best", "by", "greatest"], "--folder");
    const under = artifacts.replace(/^\/+|\/+$/g, "");
    const keepLast = numberOf(values, "keep", limits.retentionKeptMax);
    if (olderThanDays === null && keepLast === null && !values.flag("never"))
      throw new UsageError("give --keep N, --older-than DAYS, or --never");
    return { kind: "versions", under: under === "" ? null : under, keepLast, olderThanDays };
  }
  refuse(values, ["keep"], "--artifacts");
  if (olderThanDays === null && !values.flag("never"))
    throw new UsageError("give --older-than DAYS, or --never");
  const folderId = await folderIdAt(clientOf(invocation), folderPath(folder!));
  return { kind: "experiments", folderId, olderThanDays, ...conditionsOf(values) };
}

function conditionsOf(values: OptionValues) {
  const given = values.texts("status");
  const query = values.text("query");
  const unless = values.text("unless");
  const count = numberOf(values, "best", limits.retentionKeptMax);
  const field = values.text("by");
  if ((count === null) !== (field === undefined)) throw new UsageError("--best N needs --by FIELD");
  if (count === null && values.flag("greatest")) throw new UsageError("--greatest needs --best N");
  const order = values.flag("greatest") ? "greatest" : "least";
  return {
    statuses: (given.length > 0 ? given : ["done", "error"]) as ExperimentStatus[],
    ...(query !== undefined && { query }),
    ...(unless !== undefined && { unless }),
    ...(count !== null && { keepBest: { field: field!, order, count } as const }),
  };
}

function daysOf(values: OptionValues): number | null {
  const days = numberOf(values, "older-than", limits.retentionDaysMax);
  if (values.flag("never") && (days !== null || values.text("keep") !== undefined))
    throw new UsageError("--never excludes --older-than and --keep");
  return days;
}

function numberOf(values: OptionValues, name: string, most: number): number | null {
  return values.text(name) === undefined ? null : values.integer(name, 1, 1, most);
}

function refuse(values: OptionValues, names: readonly string[], needed: string): void {
  for (const name of names) {
    const isGiven =
      values.text(name) !== undefined || values.flag(name) || values.texts(name).length > 0;
    if (isGiven) throw new UsageError(`--${name} needs ${needed}`);
  }
}

async function folderIdAt(client: LosslessClient, path: readonly string[]): Promise<string | null> {
  return path.length === 0 ? null : folderAt(await client.folders.tree(), path).folderId;
}

export async function ruleNamed(client: LosslessClient, name: string): Promise<RetentionRule> {
  const found = (await client.retention.list()).find((rule) => rule.name === name);
  if (found !== undefined) return found;
  throw new CommandError(`there is no rule ${printable(name)}; retention list shows them`);
}

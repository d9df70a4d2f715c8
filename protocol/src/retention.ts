import type { EndpointDefinition } from "./endpoint.ts";
import { savedErrors } from "./error-forms.ts";
import { ExperimentStatus } from "./experiment.ts";
import { limits } from "./limits.ts";
import { artifactPath } from "./names.ts";
import { keptChange, savedFacts, seenRevision, seenRow } from "./saved.ts";
import {
  closedObject,
  count,
  label,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
  variants,
} from "./schema.ts";
import { queryParameter } from "./table.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, removal, writeErrors } from "./v1-endpoint.ts";

/** Rules that trash old or surplus experiments and versions automatically. */

const days = (description: string) =>
  nullable(Type.Integer({ description, minimum: 1, maximum: limits.retentionDaysMax }));

const ExperimentsRule = closedObject("ExperimentsRule", {
  kind: Type.Literal("experiments"),
  folderId: nullable(
    reference("Applies to experiments in this folder and below it; null: all experiments."),
  ),
  olderThanDays: days(
    "Days since the end and the last point of an experiment; null: the rule moves nothing, and what other rules " +
      "say of the folders above does not reach here.",
  ),
  statuses: Type.Array(ExperimentStatus, {
    description: "Only these statuses. `running` includes experiments whose writer died.",
    minItems: 1,
    maxItems: 3,
  }),
  query: Type.Optional(queryParameter("Only experiments that this query finds; default: all.")),
  unless: Type.Optional(
    queryParameter("Except experiments that this query finds, such as `tag = keep`."),
  ),
  keepBest: Type.Optional(
    closedObject(
      "KeptBest",
      {
        field: Type.String({
          description: "A metric as queries spell it: `metric.loss.min`, `metric.acc`.",
          minLength: 1,
          maxLength: limits.queryCharactersMax,
        }),
        order: oneOfStrings("BestOrder", ["least", "greatest"]),
        count: Type.Integer({ minimum: 1, maximum: limits.retentionKeptMax }),
      },
      { description: "Except the best of all experiments of the rule, however old." },
    ),
  ),
});
export type ExperimentsRule = Type.Static<typeof ExperimentsRule>;

const VersionsRule = closedObject("VersionsRule", {
  kind: Type.Literal("versions"),
  under: nullable(
    artifactPath("Applies to this artifact and all whose paths continue it; null: all artifacts."),
  ),
  keepLast: nullable(
    Type.Integer({
      description: "Number of highest versions to keep of each artifact; null: one.",
      minimum: 1,
      maximum: limits.retentionKeptMax,
    }),
  ),
  olderThanDays: days("Days since the commit; null: any."),
});
export type VersionsRule = Type.Static<typeof VersionsRule>;

export const RetentionRuleContent = variants("RetentionRuleContent", "kind", {
  experiments: ExperimentsRule,
  versions: VersionsRule,
});
export type RetentionRuleContent = Type.Static<typeof RetentionRuleContent>;

export const RetentionRule = closedObject("RetentionRule", {
  id: savedFacts.id,
  name: Type.String({ description: "No other rule of the organization has it." }),
  rule: RetentionRuleContent,
  folder: Type.Array(Type.String(), {
    description: "Names of its folders, from the root down.",
  }),
  revision: savedFacts.revision,
  createdAtMs: milliseconds("When it was set first."),
  createdBy: savedFacts.createdBy,
  changedAtMs: milliseconds("When it was set last."),
  changedBy: savedFacts.changedBy,
  lookedAtMs: nullable(milliseconds("When the rule was last applied; null: not yet.")),
});
export type RetentionRule = Type.Static<typeof RetentionRule>;

export const RetentionRulesReply = closedObject("RetentionRulesReply", {
  rules: Type.Array(RetentionRule, { description: "By name." }),
});
export type RetentionRulesReply = Type.Static<typeof RetentionRulesReply>;

const ruleName = label("No other rule of the organization has it.");

export const CreateRetentionRuleBody = closedObject("CreateRetentionRuleBody", {
  name: ruleName,
  rule: RetentionRuleContent,
});
export type CreateRetentionRuleBody = Type.Static<typeof CreateRetentionRuleBody>;

export const ChangeRetentionRuleBody = closedObject("ChangeRetentionRuleBody", {
  revision: seenRevision,
  name: ruleName,
  rule: RetentionRuleContent,
});
export type ChangeRetentionRuleBody = Type.Static<typeof ChangeRetentionRuleBody>;

export const TryRetentionRuleBody = closedObject("TryRetentionRuleBody", {
  rule: RetentionRuleContent,
  id: Type.Optional(reference("The rule that it is to replace; left out: it is a new one.")),
});
export type TryRetentionRuleBody = Type.Static<typeof TryRetentionRuleBody>;

const RetentionFind = closedObject("RetentionFind", {
  subject: Type.String({ description: "The experiment's id, or that of the version's upload." }),
  name: Type.String({ description: "The experiment's slug, or the artifact of the version." }),
  experimentName: nullable(
    Type.String({
      description: "The experiment's name in lists, if it is not the slug; otherwise null.",
    }),
  ),
  version: nullable(Type.String({ description: "Null: it is an experiment." })),
  points: count("Points that it has."),
  bytes: count("Bytes of its files; of an experiment 0."),
  sinceMs: milliseconds("From when on its days count."),
  why: Type.String({ description: "The reason, for people." }),
});
export type RetentionFind = Type.Static<typeof RetentionFind>;

export const TriedRetentionRule = closedObject("TriedRetentionRule", {
  finds: Type.Array(RetentionFind, {
    description: `The first ${limits.retentionShownMax} that it would move now.`,
  }),
  total: count("Number of all that it would move now."),
  behind: count(
    "Experiments whose points or metas are not fully summarized yet: a rule with a query or a metric waits for them.",
  ),
});
export type TriedRetentionRule = Type.Static<typeof TriedRetentionRule>;

const bytesMax = limits.setupBodyBytesMax;
const rules = { ...extension, errorForm: savedErrors } as const;

/** Rules that trash old or surplus experiments and versions automatically. */
export const retentionEndpoints = {
  listRetentionRules: {
    ...extensionRead,
    errorForm: savedErrors,
    path: "/api/trash/v1/rules",
    summary: "The rules that move old or surplus things to the trash.",
    reply: { kind: "json", status: 200, schema: RetentionRulesReply },
  },
  createRetentionRule: {
    ...rules,
    method: "POST",
    path: "/api/trash/v1/rules",
    summary: "Sets a rule, which from now on moves what it finds to the trash.",
    about:
      "It is applied every hour. If a folder, or a path of artifacts, has rules of its own, those of folders or " +
      "paths above do not apply. A taken name is 409.",
    role: "admin",
    request: { kind: "json", schema: CreateRetentionRuleBody, bytesMax },
    reply: { kind: "json", status: 201, schema: RetentionRule },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  changeRetentionRule: {
    ...rules,
    ...keptChange,
    path: "/api/trash/v1/rules",
    summary: "Replaces a rule.",
    role: "admin",
    query: Type.Object({ id: reference("The rule.") }),
    request: { kind: "json", schema: ChangeRetentionRuleBody, bytesMax },
    reply: { kind: "json", status: 200, schema: RetentionRule },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  deleteRetentionRule: {
    ...rules,
    ...removal,
    path: "/api/trash/v1/rules",
    summary: "Removes a rule; what it moved stays in the trash.",
    role: "admin",
    query: seenRow("The rule."),
    errors: [...writeErrors, "not_found", "conflict"],
  },
  tryRetentionRule: {
    ...rules,
    method: "POST",
    path: "/api/trash/v1/rules/try",
    summary: "What a rule would move now, and why; nothing is moved.",
    request: { kind: "json", schema: TryRetentionRuleBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TriedRetentionRule },
    errors: [...readErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;

import type { EndpointDefinition } from "./endpoint.ts";
import { savedErrors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import {
  ChangeRetentionRuleBody,
  CreateRetentionRuleBody,
  RetentionRule,
  RetentionRulesReply,
  TriedRetentionRule,
  TryRetentionRuleBody,
} from "./retention.ts";
import { reference } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, readErrors, writeErrors } from "./v1-endpoint.ts";

const bytesMax = limits.setupBodyBytesMax;
const rules = { ...extension, errorForm: savedErrors } as const;
const id = reference("The rule.");

/** Rules that trash old or surplus experiments and versions automatically. */
export const retentionEndpoints = {
  listRetentionRules: {
    ...rules,
    method: "GET",
    path: "/api/trash/v1/rules",
    summary: "The rules by which what is old, or too many, goes to the trash.",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: RetentionRulesReply },
    errors: readErrors,
  },
  createRetentionRule: {
    ...rules,
    method: "POST",
    path: "/api/trash/v1/rules",
    summary: "Sets a rule; what it finds goes to the trash from now on.",
    about:
      "It is looked for every hour. Where a folder, or a path of artifacts, has rules of its own, those of folders or " +
      "paths above do not reach. Names are 409 where they are taken.",
    role: "admin",
    request: { kind: "json", schema: CreateRetentionRuleBody, bytesMax },
    reply: { kind: "json", status: 201, schema: RetentionRule },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  changeRetentionRule: {
    ...rules,
    method: "PUT",
    path: "/api/trash/v1/rules",
    summary: "Sets another rule in place of one.",
    about: "409 says what stands there when somebody else has changed it since it was read.",
    role: "admin",
    query: Type.Object({ id }),
    request: { kind: "json", schema: ChangeRetentionRuleBody, bytesMax },
    reply: { kind: "json", status: 200, schema: RetentionRule },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  deleteRetentionRule: {
    ...rules,
    method: "DELETE",
    path: "/api/trash/v1/rules",
    summary: "Removes a rule; what it took stays in the trash.",
    role: "admin",
    query: Type.Object({
      id,
      revision: Type.String({
        description: "The revision that was seen.",
        pattern: "^\\d{1,15}$",
        "x-rule": "must be a whole number",
      }),
    }),
    request: { kind: "none" },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  tryRetentionRule: {
    ...rules,
    method: "POST",
    path: "/api/trash/v1/rules/try",
    summary: "What a rule would take now, and why; it takes nothing.",
    request: { kind: "json", schema: TryRetentionRuleBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TriedRetentionRule },
    errors: [...readErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;

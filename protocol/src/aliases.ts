import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { aliasName, artifactPath, knownAliasName, versionName, versionPattern } from "./names.ts";
import { closedObject, count, milliseconds, nullable, oneOfStrings } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, removal, writeErrors } from "./v1-endpoint.ts";

/** Aliases of versions: names that point to one version of an artifact each. */

export const VersionAlias = closedObject("VersionAlias", {
  alias: Type.String({ description: "Its name." }),
  version: Type.String({ description: "The version that it points to." }),
  state: oneOfStrings("AliasedState", ["present", "trashed", "deleted"]),
  changedAtMs: milliseconds("When it was set or moved to that version."),
  changedBy: Type.String({ description: "Who did that." }),
});
export type VersionAlias = Type.Static<typeof VersionAlias>;

export const AliasList = closedObject("AliasList", {
  aliases: Type.Array(VersionAlias, {
    description: `By name; at most ${limits.aliasesMax}.`,
  }),
});
export type AliasList = Type.Static<typeof AliasList>;

export const SetAliasBody = closedObject("SetAliasBody", {
  version: versionName,
  expected: Type.Optional(
    nullable(
      Type.String({
        description:
          "Move it only from this version; null: only if there is no such alias. Absent: from wherever it points to.",
        pattern: versionPattern,
        "x-rule": "must be the name of a version",
      }),
    ),
  ),
});
export type SetAliasBody = Type.Static<typeof SetAliasBody>;

export const SetAliasReply = closedObject("SetAliasReply", {
  alias: VersionAlias,
  previous: nullable(
    Type.String({
      description: "The version that it pointed to before; null: there was no such alias.",
    }),
  ),
});
export type SetAliasReply = Type.Static<typeof SetAliasReply>;

export const AliasChange = closedObject("AliasChange", {
  number: count("The changes of the aliases of an artifact are numbered from 1, without gaps."),
  alias: Type.String({ description: "The alias that was changed." }),
  previous: nullable(Type.String({ description: "The version before; null: it was new." })),
  version: nullable(Type.String({ description: "The version since; null: it was removed." })),
  atMs: milliseconds("When."),
  by: Type.String({ description: "Who did it." }),
});
export type AliasChange = Type.Static<typeof AliasChange>;

export const AliasHistory = closedObject("AliasHistory", {
  changes: Type.Array(AliasChange, { description: "Newest first." }),
  next: nullable(
    Type.String({ description: "Pass it as `before`; null: there are no older changes." }),
  ),
});
export type AliasHistory = Type.Static<typeof AliasHistory>;

const artifact = artifactPath("Path of the artifact.");

/** Aliases of the versions of artifacts. */
export const aliasEndpoints = {
  listAliases: {
    ...extensionRead,
    path: "/api/v1/artifacts/aliases",
    summary: "The aliases of an artifact's versions.",
    about:
      "An alias stays when its version is moved to the trash or deleted, and says so in `state`; to read a version " +
      "by it is `not_found` then. An unknown artifact has none.",
    query: Type.Object({ artifact }),
    reply: { kind: "json", status: 200, schema: AliasList },
  },
  setAlias: {
    ...extension,
    method: "PUT",
    path: "/api/v1/artifacts/alias",
    summary: "Sets or moves an alias to a version of the artifact.",
    about:
      "If it points to that version already, nothing changes, whatever was expected, so that a lost reply does no " +
      "harm. Of several who move it from one version at once, one succeeds; `conflict` tells the others where it points to.",
    query: Type.Object({ artifact, alias: aliasName }),
    request: { kind: "json", schema: SetAliasBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: SetAliasReply },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  removeAlias: {
    ...extension,
    ...removal,
    path: "/api/v1/artifacts/alias",
    summary: "Removes an alias; its version stays.",
    query: Type.Object({
      artifact,
      alias: knownAliasName,
      expected: Type.Optional(
        Type.String({
          description: "Remove it only from this version.",
          pattern: versionPattern,
          "x-rule": "must be the name of a version",
        }),
      ),
    }),
    errors: [...writeErrors, "not_found", "conflict"],
  },
  listAliasChanges: {
    ...extensionRead,
    path: "/api/v1/artifacts/alias-history",
    summary: "What aliases of an artifact pointed to, since when and by whom, newest first.",
    query: Type.Object({
      artifact,
      alias: Type.Optional(knownAliasName),
      before: Type.Optional(
        Type.String({
          description: "`next` of the page before.",
          pattern: "^[1-9][0-9]{0,15}$",
          "x-rule": "must be a number",
        }),
      ),
    }),
    reply: { kind: "json", status: 200, schema: AliasHistory },
    errors: [...readErrors],
  },
} as const satisfies Record<string, EndpointDefinition>;

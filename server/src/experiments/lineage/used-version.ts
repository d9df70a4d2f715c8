import { limits } from "@lossless/protocol/limits";
import { latestVersion, pathPattern, pathProblem, versionPattern } from "@lossless/protocol/names";
import type { NamedVersion } from "./subject.ts";

/** A version that an experiment used. */
export interface UsedVersion extends NamedVersion {
  /** Its part in the experiment, such as `validation`; mostly empty. */
  role: string;
  /** How the experiment asked for it, such as `latest` or `@best`; empty if by its name. */
  named: string;
}

/** The kind of the annotations by which clients record a use. */
export const useKind = "artifact-used";

const versionName = new RegExp(versionPattern);
const artifactPath = new RegExp(pathPattern);

/**
 * Returns the version that an annotation says was used: `{"kind": "artifact-used", artifact,
 * version, role?, named?}`.
 */
export function usedVersionOf(metaText: string): UsedVersion | undefined {
  // Most annotations are not worth parsing; letters may be written as escapes.
  if (!/"artifact-used"|\\u/.test(metaText)) return undefined;
  const meta = JSON.parse(metaText) as Record<string, unknown>;
  const { kind, artifact, version, role = "", named = "" } = meta;
  if (kind !== useKind || !isPath(artifact) || !isVersion(version)) return undefined;
  if (!isShort(role) || !isShort(named)) return undefined;
  return { artifact, version, role, named };
}

export function isPath(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.isWellFormed() &&
    artifactPath.test(value) &&
    pathProblem(value) === undefined
  );
}

export function isVersion(value: unknown): value is string {
  return typeof value === "string" && versionName.test(value) && value !== latestVersion;
}

function isShort(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= limits.lineageRoleCharactersMax &&
    value.isWellFormed() &&
    !value.includes("\0")
  );
}

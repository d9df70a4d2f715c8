import type { CompleteConnectionBody } from "@lossless/protocol";

export type CloudName = "aws" | "gcp" | "azure";

/** Identifiers that the cloud's administrator enters after running the setup script; no secret. */
export type CloudIdentifiers = CompleteConnectionBody;

/** An active connection, as the calls to its cloud need it. */
export interface ConnectionAccess {
  organizationId: string;
  connectionId: string;
  identifiers: CloudIdentifiers;
}

/**
 * Returns the identity that the cloud trusts, as in every token. Both ids are made by the service
 * and never used again; 62 ASCII characters, below the 127 bytes of Google Cloud.
 */
export function subjectOf(organizationId: string, connectionId: string): string {
  return `org:${organizationId}:conn:${connectionId}`;
}

/**
 * Audiences of tokens. Azure accepts no other; the setup scripts make the other clouds accept this
 * one.
 */
export const audiences: Readonly<Record<CloudName, string>> = {
  aws: "sts.amazonaws.com",
  gcp: "lossless",
  azure: "api://AzureADTokenExchange",
};

/**
 * Returns the name of all of a connection's resources in its cloud: `lossless-` and the last ten
 * characters of its id, which are random. Setup scripts allow this name alone, drivers use it.
 */
export function cloudName(connectionId: string): string {
  return `lossless-${connectionId.slice(-10)}`;
}

/** Reads the row that a location refers to; null when there is none, or it was not completed. */
export function accessOf(
  organizationId: string,
  connectionId: string | null,
  identifiers: string | null,
): ConnectionAccess | null {
  if (connectionId === null || identifiers === null) return null;
  const parsed = JSON.parse(identifiers) as CloudIdentifiers;
  return { organizationId, connectionId, identifiers: parsed };
}

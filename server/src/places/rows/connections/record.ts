import type { Connection } from "@lossless/protocol";
import { audiences, subjectOf } from "./connection.ts";
import { setupScripts } from "./setup/setup.ts";
import type { StoredConnection } from "./stored-connection.ts";

/** The record of the interface; its script is for the service's current issuer and address. */
export function connectionRecord(
  { id, organizationId, cloud, name, state, identifiers, error, createdAtMs }: StoredConnection,
  { issuer, baseUrl }: { issuer: string; baseUrl: string },
): Connection {
  const subject = subjectOf(organizationId, id);
  const audience = audiences[cloud];
  const terms = { connectionId: id, organizationId, subject, audience, issuer, baseUrl };
  const setup = setupScripts[cloud](terms);
  const created = new Date(createdAtMs).toISOString();
  return { id, cloud, name, state, subject, issuer, audience, identifiers, error, setup, created };
}

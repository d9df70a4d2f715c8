import { audiences, cloudName, type CloudName, subjectOf } from "../connection.ts";

/**
 * The variable parts of a setup script: none was typed by a person who can only name things (T47).
 */
export interface SetupTerms {
  connectionId: string;
  organizationId: string;
  subject: string;
  audience: string;
  issuer: string;
  baseUrl: string;
}

export type SetupScript = (terms: SetupTerms) => string;

/** Letters that mean nothing in single quotes, JSON, Google Cloud's conditions, AWS's policies. */
const idPattern = /^[0-9a-z]{26}$/;
const addressPattern = /^https?:\/\/[A-Za-z0-9._:[\]-]+(?:\/[A-Za-z0-9._~-]+)*\/?$/;

/** The assignments that every script begins with. Throws when a word could be more than a word. */
export function assignments(cloud: CloudName, terms: SetupTerms): string {
  const { connectionId, organizationId, subject, audience, issuer, baseUrl } = terms;
  require("connection id", connectionId, idPattern.test(connectionId));
  require("organization id", organizationId, idPattern.test(organizationId));
  require("subject", subject, subject === subjectOf(organizationId, connectionId));
  require("audience", audience, audience === audiences[cloud]);
  require("issuer", issuer, addressPattern.test(issuer));
  require("base URL", baseUrl, addressPattern.test(baseUrl));
  return Object.entries({
    CONNECTION: connectionId,
    SUBJECT: subject,
    AUDIENCE: audience,
    ISSUER: issuer,
    BASE_URL: baseUrl,
    NAME: cloudName(connectionId),
  })
    .map(([name, value]) => `${name}='${value}'`)
    .join("\n");
}

function require(what: string, value: string, holds: boolean): void {
  if (!holds) throw new Error(`BUG: no ${what} for a setup script, got ${JSON.stringify(value)}`);
}

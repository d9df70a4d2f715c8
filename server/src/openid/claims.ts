import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../ground/errors.ts";

/** Claims of an ID token or of the userinfo endpoint, as they came. */
export type Claims = Readonly<Record<string, unknown>>;

const microsoftIssuer = /^https:\/\/login\.microsoftonline\.(?:com|us)\//;

/**
 * The address that the provider says is the person's own. Entra does not send email_verified;
 * there xms_edov says that the owner of the domain vouches for the address. Undefined: unverified.
 */
export function verifiedEmail(claims: Claims, issuer: string): string | undefined {
  const { email, email_verified: verified, xms_edov: domainVerified } = claims;
  if (typeof email !== "string" || email.length > limits.emailCharactersMax) return undefined;
  // Our own form of addresses; a space would be another person's mark.
  // oxlint-disable-next-line no-control-regex
  if (!/^[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+$/.test(email)) return undefined;
  const isVerified =
    isYes(verified) ||
    (microsoftIssuer.test(issuer) && verified === undefined && isYes(domainVerified));
  return isVerified ? email : undefined;
}

function isYes(value: unknown): boolean {
  return value === true || value === "true" || value === 1 || value === "1";
}

/** The names in the claim: a list, or one. Throws when the provider gave too many to say them. */
export function groupsOf(claims: Claims, claim: string): string[] {
  const left = claims["_claim_names"];
  if (typeof left === "object" && left !== null && Object.hasOwn(left, claim)) {
    throw tooManyGroups("The provider left your groups out because there are too many");
  }
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  if (values.length > limits.signOnGroupsMax)
    throw tooManyGroups("The provider names too many groups");
  return values.filter((one) => typeof one === "string");
}

function tooManyGroups(what: string): ServiceError {
  return new ServiceError(
    "bad_request",
    `${what}. An admin has to send only those that are assigned to this application, or its app roles.`,
  );
}

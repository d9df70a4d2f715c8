import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";

/** Claims of an ID token or of the userinfo endpoint, as received. */
export type Claims = Readonly<Record<string, unknown>>;

const microsoftIssuer = /^https:\/\/login\.microsoftonline\.(?:com|us)\//;

/** A person's address as the provider reports it. */
export interface ToldEmail {
  /**
   * The verified address; undefined when the provider does not say that the address is the person's
   * own.
   */
  email: string | undefined;
  /**
   * The address, verified or not; null when the provider sent none in a form that the service
   * accepts.
   */
  told: string | null;
}

/**
 * Returns the address of the claims. Entra does not send email_verified; there xms_edov says that
 * the owner of the domain vouches for the address.
 */
export function emailOf(claims: Claims, issuer: string): ToldEmail {
  const { email, email_verified: verified, xms_edov: domainVerified } = claims;
  // The service's own form of addresses. A space is excluded: it marks the address of a namesake.
  const isAddress =
    typeof email === "string" &&
    email.length <= limits.emailCharactersMax &&
    // oxlint-disable-next-line no-control-regex
    /^[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+$/.test(email);
  if (!isAddress) return { email: undefined, told: null };
  const isVerified =
    isYes(verified) ||
    (microsoftIssuer.test(issuer) && verified === undefined && isYes(domainVerified));
  return { email: isVerified ? email : undefined, told: email };
}

function isYes(value: unknown): boolean {
  return value === true || value === "true" || value === 1 || value === "1";
}

/**
 * The group names in the claim, a list or a single name. Throws when the provider left the groups
 * out because there are too many.
 */
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
    `${what}. An admin of the provider has to send only the groups assigned to this application, or its app roles.`,
  );
}

import { StoreError } from "../../../buckets/bucket.ts";
import { storeErrorOf } from "../../../buckets/s3/failure.ts";

/**
 * Returns the failure of an exchange by AWS's code and our own words; AWS's message is not shown.
 */
export function stsFailure(error: unknown, isDeadline: boolean): StoreError {
  if (error instanceof StoreError) return error;
  const failure = storeErrorOf(error, action, isDeadline);
  // The SDK has names of its own for some of the codes.
  const given = error instanceof Error && "Code" in error ? String(error.Code) : "";
  const isGiven = !isDeadline && /^[A-Za-z][A-Za-z0-9.]{1,63}$/.test(given);
  const code = isGiven ? given : failure.code;
  const transient = failure.transient || code === "IDPCommunicationError";
  return new StoreError(
    code,
    transient,
    `AWS failed at ${action}: ${code}.`,
    undefined,
    advice[code],
  );
}

const action = "AssumeRoleWithWebIdentity";

const runSetup = "Run the connection's setup script in that AWS account";

/** Advice by the codes of AWS's API reference for this call. */
const advice: Readonly<Record<string, string>> = {
  AccessDenied:
    "The role does not exist, or it does not trust this connection's subject. " +
    `${runSetup} and give the ARN that it prints.`,
  ExpiredTokenException:
    "AWS considers a new token expired: the clock of the service's machine is wrong.",
  IDPCommunicationError:
    "AWS could not fetch the issuer's keys. The issuer's address must be reachable from the " +
    "internet by https without a port (see --issuer-url).",
  IDPRejectedClaim: `AWS rejects the token's claims. ${runSetup} again.`,
  InvalidIdentityToken:
    "AWS does not accept the issuer's token: the account has no identity provider for this issuer " +
    "and audience, or AWS cannot fetch the issuer's keys by https. " +
    `${runSetup}, and see that the issuer's address can be reached from the internet.`,
  RegionDisabledException:
    "STS is not activated for this region in that AWS account: activate it under IAM, account settings.",
  ValidationError: `AWS refuses the ARN of this role. ${runSetup} and give the ARN that it prints.`,
};

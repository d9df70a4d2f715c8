import { StoreError } from "../../../buckets/bucket.ts";
import { memberAt } from "../json-reply.ts";

/**
 * Returns the error for an unsuccessful reply: Google's own code and the status, never its message.
 */
export function googleFailure(operation: string, status: number, body: unknown): StoreError {
  const code = codeOf(body) ?? `HTTP ${status}`;
  const transient = status >= 500 || status === 429 || status === 408 || transientCodes.has(code);
  const answer = code.startsWith("HTTP") ? code : `${status} ${code}`;
  const message = `Google Cloud refused ${operation}: ${answer}.`;
  return new StoreError(code, transient, message, undefined, googleAdvice[code]);
}

export function invalidReply(operation: string): StoreError {
  const message = `Google Cloud's reply to ${operation} is not of the documented form.`;
  return new StoreError("invalid reply", true, message);
}

/**
 * The token exchange answers as OAuth does (`{"error": "invalid_grant"}`), the other interfaces
 * with an object that has a `status`, or as Cloud Storage's JSON interface does with reasons in
 * `errors`.
 */
function codeOf(body: unknown): string | undefined {
  const error = memberAt(body, "error");
  const details = memberAt(error, "details");
  const isDisabled =
    Array.isArray(details) && details.some((one) => memberAt(one, "reason") === "SERVICE_DISABLED");
  const reasons = memberAt(error, "errors");
  const reason = Array.isArray(reasons) ? memberAt(reasons[0], "reason") : undefined;
  const found = isDisabled ? "SERVICE_DISABLED" : [error, memberAt(error, "status"), reason];
  return [found].flat().find((one) => typeof one === "string" && /^\w{2,64}$/.test(one)) as
    | string
    | undefined;
}

const transientCodes = new Set(["rateLimitExceeded", "userRateLimitExceeded", "backendError"]);

const again = "run the setup script of this connection again, as an owner of the project";
const billing = "Switch on the billing of the project.";
const notAllowed =
  "The service account may not do this with buckets of this connection. If the setup script ran minutes ago," +
  ` wait and try again; else ${again}.`;

/** Advice by the code of the refusing interface; the last ones are those of the XML interface. */
export const googleAdvice: Readonly<Record<string, string>> = {
  invalid_grant:
    "Google Cloud did not accept the token. Check that the address of the issuer can be read from the internet" +
    ` (or that its keys were uploaded to the provider), then ${again}.`,
  unauthorized_client:
    "The provider trusts another connection. Give the identifiers that the setup script of this connection" +
    ` printed, or ${again}.`,
  invalid_target:
    "There is no such workload identity provider, or it is switched off. Check the identifiers, or" +
    ` ${again}.`,
  invalid_request: `The provider does not accept these tokens: ${again}.`,
  PERMISSION_DENIED:
    "The service account does not allow this connection to act for it (or does not exist). If the setup" +
    ` script ran minutes ago, wait and try again; else ${again}.`,
  NOT_FOUND: `There is no such service account: ${again}.`,
  SERVICE_DISABLED:
    "An interface is not switched on in the project: the setup script switches on sts, iam, iamcredentials and" +
    " storage. Run it again, or wait some minutes when it ran just now.",
  forbidden: notAllowed,
  conditionNotMet:
    "A policy of your Google Cloud organization forbids this bucket, perhaps its region: ask the organization's administrator.",
  invalid: "Google Cloud does not know this region: use a name that `gcloud storage` accepts.",
  accountDisabled: billing,
  AccessDenied: notAllowed,
  NoSuchBucket: "The bucket was removed from the project; its content can no longer be read.",
  UserProjectAccountProblem: billing,
};

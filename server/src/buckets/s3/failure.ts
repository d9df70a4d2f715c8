import { StoreError } from "../bucket.ts";
import { ForbiddenAddress, UnusableHost } from "../egress.ts";
import { ReplyTooLarge } from "./transport.ts";

/**
 * Returns the failure of a call in words that are safe to show: the store's own code and status,
 * never its message, which may quote a signature, nor the address that was called.
 */
export function storeErrorOf(error: unknown, operation: string, isDeadline: boolean): StoreError {
  // Credentials could not be obtained: that says more than the failure of the call.
  if (error instanceof StoreError) return error;
  const { code, transient } = isDeadline ? { code: "timeout", transient: true } : judge(error);
  const { httpStatusCode: status } = metadataOf(error);
  const answer = status === undefined || code.startsWith("HTTP") ? code : `${status} ${code}`;
  return new StoreError(code, transient, `The store failed at ${operation}: ${answer}.`);
}

interface Judgement {
  code: string;
  transient: boolean;
}

function judge(error: unknown): Judgement {
  if (!(error instanceof Error)) return { code: "unknown", transient: false };
  if (error instanceof ForbiddenAddress) return { code: "forbidden address", transient: false };
  if (error instanceof UnusableHost) return { code: unusableHost, transient: true };
  if (error instanceof ReplyTooLarge) return { code: "reply too large", transient: false };
  if (error.name === "AbortError") return { code: "closed", transient: true };
  const { httpStatusCode: status } = metadataOf(error);
  // An Error in the body of a 200 has no error status, but a code of the store.
  if (status !== undefined && ("$fault" in error || status >= 300)) {
    const isCode =
      "$fault" in error &&
      /^[A-Za-z][A-Za-z0-9.]{1,63}$/.test(error.name) &&
      !isPlaceholder(error.name);
    const code = isCode ? error.name : `HTTP ${status}`;
    return { code, transient: status >= 500 || status === 429 || transientCodes.has(code) };
  }
  const systemCode = "code" in error ? String(error.code) : "";
  const known = systemFailures[systemCode];
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|UNABLE_TO|SELF_SIGNED/.test(systemCode))
    return { code: "certificate", transient: false };
  // Cut short or no XML: the meaning of the reply is unknown.
  return { code: invalidReply, transient: true };
}

const unusableHost = "unknown or forbidden host";

/** Tells of a reply that is cut short, or none of S3. */
export const invalidReply = "invalid reply";

const transientCodes = new Set([
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "RequestTimeTooSkewed",
  "ServiceUnavailable",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
]);

const lost: Judgement = { code: "connection lost", transient: true };
const silent: Judgement = { code: "timeout", transient: true };
const unreachable: Judgement = { code: "unreachable", transient: true };

const systemFailures: Readonly<Record<string, Judgement>> = {
  ECONNREFUSED: { code: "refused", transient: true },
  ECONNRESET: lost,
  ECONNABORTED: lost,
  EPIPE: lost,
  ETIMEDOUT: silent,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  ENOTFOUND: { code: "unknown host", transient: true },
  EAI_AGAIN: { code: "unknown host", transient: true },
};

/** Whether this is the SDK's name for an error whose body had no code. */
function isPlaceholder(name: string): boolean {
  return /^(Error|Unknown|UnknownError|UnknownServiceException|S3ServiceException)$/.test(name);
}

function metadataOf(error: unknown): { httpStatusCode?: number } {
  if (!(error instanceof Error) || !("$metadata" in error)) return {};
  return error.$metadata ?? {};
}

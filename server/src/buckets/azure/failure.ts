import { StoreError } from "../bucket.ts";
import type { CloudReply } from "../cloud-request.ts";
import { BadXml, parseXml, textAt } from "../store-xml.ts";

/** Returns Azure's error code: `BlobNotFound`, or `HTTP 403` when the reply has none. */
export function codeOf({ status, headers, body }: CloudReply): string {
  const word = headers.get("x-ms-error-code") ?? codeInBody(body);
  return word !== undefined && /^[A-Za-z][A-Za-z0-9]{1,63}$/.test(word) ? word : `HTTP ${status}`;
}

/** Tells of a reply that the operation cannot go on from. Never holds more of it than its code. */
export function storeFailure(operation: string, reply: CloudReply): StoreError {
  const code = codeOf(reply);
  const transient = reply.status >= 500 || reply.status === 429 || reply.status === 408;
  const answer = code.startsWith("HTTP") ? code : `${reply.status} ${code}`;
  const message = `Azure failed at ${operation}: ${answer}.`;
  return new StoreError(code, transient, message, undefined, advices[code]);
}

/** The error for a reply that lacks expected content; transient. */
export function strangeReply(operation: string): StoreError {
  const message = `Azure's reply to ${operation} is not what it should be.`;
  return new StoreError("invalid reply", true, message);
}

/**
 * The error for a blob without a version: any client with an address of one of its parts could
 * replace it.
 */
export function unversioned(operation: string): StoreError {
  const message = `Azure kept no version of the blob at ${operation}.`;
  return new StoreError("no version", false, message, undefined, advices["no version"]);
}

const advices: Readonly<Record<string, string>> = {
  AuthorizationPermissionMismatch:
    "Give the application the role Storage Blob Data Owner on the resource group (the setup script does), and wait some minutes until Azure knows it.",
  AuthorizationFailure:
    "The storage account refuses the service: look at its network rules, and at the roles of the application.",
  ContainerNotFound: "The container is gone from the storage account: retire this location.",
  AccountIsDisabled: "The storage account is disabled: enable it, or retire this location.",
  LeaseIdMissing:
    "A client with an address of a part keeps leasing this blob: try again when the addresses have expired, within 60 minutes.",
  "no version": "Switch the versioning of blobs on again at the storage account.",
};

function codeInBody(body: Buffer): string | undefined {
  try {
    return body.byteLength === 0 ? undefined : textAt(parseXml(body.toString()), "Code");
  } catch (error) {
    if (error instanceof BadXml) return undefined;
    throw error;
  }
}

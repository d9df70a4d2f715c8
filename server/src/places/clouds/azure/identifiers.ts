import { randomBytes } from "node:crypto";
import type { CloudIdentifiers, ConnectionAccess } from "../../rows/connections/connection.ts";

export type AzureIdentifiers = Extract<CloudIdentifiers, { cloud: "azure" }>["azure"];

export function azureOf({ connectionId, identifiers }: ConnectionAccess): AzureIdentifiers {
  if (identifiers.cloud === "azure") return identifiers.azure;
  throw new Error(`BUG: the connection ${connectionId} is of ${identifiers.cloud}, not of azure`);
}

/**
 * Returns a new name for a storage account: 20 of at most 24 characters, small letters and digits.
 * It has to be unique in all of Azure, so it has eight random digits behind those that tell the
 * connection.
 */
export function newAccountName(connectionId: string): string {
  const name = `ll${connectionId.slice(-10)}${randomBytes(4).toString("hex")}`;
  if (!/^[a-z0-9]{20}$/.test(name)) throw new Error(`BUG: the account's name got ${name}`);
  return name;
}

/** The account's name in the address of its blobs. */
export function accountOf(endpoint: string): string {
  const found = /(?<![a-z0-9])ll[a-z0-9]{18}(?![a-z0-9])/.exec(endpoint);
  if (found === null) throw new Error(`BUG: there is no account in the address ${endpoint}`);
  return found[0];
}

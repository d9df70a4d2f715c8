import { createHmac } from "node:crypto";
import { attachmentOf } from "../../ground/attachment.ts";

/**
 * The version of Azure's storage interface that every request names, and by which addresses are
 * signed. Newer ones sign other texts.
 */
export const azureVersion = "2020-12-06";

/** A key from Get User Delegation Key; an address signed with it lives no longer than the key. */
export interface DelegationKey {
  objectId: string;
  tenantId: string;
  /** As Azure wrote them; they are signed as they are. */
  start: string;
  expiry: string;
  service: string;
  version: string;
  /** Base64. */
  value: string;
  expiresAtMs: number;
}

export interface BlobToSign {
  account: string;
  container: string;
  key: string;
  /** The single permission: `r` for a GET, `w` for a client's PUT. */
  permission: "r" | "w";
  /** Limits the address to one state of the blob. */
  versionId?: string | undefined;
  /** Browsers save the blob under this name. */
  fileName?: string | undefined;
  expiresAtMs: number;
  /** false: for doubles that speak plain http. */
  httpsOnly: boolean;
}

/**
 * Returns the query of an address that carries its own permission (user delegation SAS). There is
 * no start time: clocks differ, and an address is used at once.
 */
export function signBlob(blob: BlobToSign, delegation: DelegationKey): string {
  const { account, container, key, permission, versionId, fileName, httpsOnly } = blob;
  const disposition = fileName === undefined ? "" : attachmentOf(fileName);
  const expiry = secondsText(blob.expiresAtMs);
  const protocol = httpsOnly ? "https" : "https,http";
  const resource = versionId === undefined ? "b" : "bv";
  const toSign = [
    permission,
    "", // start
    expiry,
    `/blob/${account}/${container}/${key}`,
    delegation.objectId,
    delegation.tenantId,
    delegation.start,
    delegation.expiry,
    delegation.service,
    delegation.version,
    "", // authorized user
    "", // unauthorized user
    "", // correlation id
    "", // addresses of clients
    protocol,
    azureVersion,
    resource,
    versionId ?? "",
    "", // encryption scope
    "", // Cache-Control of the reply
    disposition,
    "", // Content-Encoding
    "", // Content-Language
    "", // Content-Type
  ].join("\n");
  const signature = createHmac("sha256", Buffer.from(delegation.value, "base64"))
    .update(toSign)
    .digest("base64");
  const words: [string, string][] = [
    ["sv", azureVersion],
    ["sr", resource],
    ["sp", permission],
    ["se", expiry],
    ["spr", protocol],
    ["skoid", delegation.objectId],
    ["sktid", delegation.tenantId],
    ["skt", delegation.start],
    ["ske", delegation.expiry],
    ["sks", delegation.service],
    ["skv", delegation.version],
    ["sig", signature],
  ];
  if (disposition !== "") words.push(["rscd", disposition]);
  return words.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** `2026-11-21T10:00:00Z` */
export function secondsText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

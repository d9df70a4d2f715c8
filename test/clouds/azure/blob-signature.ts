import {
  BlobSASPermissions,
  generateBlobSASQueryParameters,
  type SASProtocol,
} from "@azure/storage-blob";
import { createHmac } from "node:crypto";

/** It says as Azure does why a user delegation SAS address is refused; undefined when good. */
export interface SignedAddress {
  method: string;
  account: string;
  container: string;
  key: string;
  query: URLSearchParams;
  isPlain: boolean;
  nowMs: number;
}

/**
 * Azure's own SDK signs what the address says once more: what it writes has to stand there, and
 * nothing else of what a signature covers.
 */
export function refusalOfSignature(address: SignedAddress, secret: Buffer): string | undefined {
  const { query, nowMs } = address;
  const of = (name: string): string => query.get(name) ?? "";
  const given = new URLSearchParams(query);
  for (const name of unsigned) given.delete(name);
  given.sort();
  if (signedAgain(address, secret) !== given.toString()) return "the signature";
  for (const time of ["se", "ske"]) if (!(Date.parse(of(time)) > nowMs)) return `the end (${time})`;
  if (Date.parse(of("skt")) > nowMs) return "the start (skt)";
  if (address.isPlain && of("spr") === "https") return "plain http";
  return of("sp").includes(neededFor(address)) ? undefined : "the permission";
}

/** A delegation key's value follows from what addresses say: the double need not remember keys. */
export function keyValue(secret: Buffer, described: readonly string[]): Buffer {
  return createHmac("sha256", secret).update(described.join("\n")).digest();
}

/** Parameters outside of the signature; the signed version is the requested one. */
const unsigned = ["comp", "blockid", "versionid", "restype"];

/** Undefined where the SDK signs no such thing. */
function signedAgain(
  { account, container, key, query }: SignedAddress,
  secret: Buffer,
): string | undefined {
  const of = (name: string): string => query.get(name) ?? "";
  const delegation = {
    signedObjectId: of("skoid"),
    signedTenantId: of("sktid"),
    signedStartsOn: new Date(of("skt")),
    signedExpiresOn: new Date(of("ske")),
    signedService: of("sks"),
    signedVersion: of("skv"),
    value: keyValue(secret, describing.map(of)).toString("base64"),
  };
  try {
    const blob = {
      containerName: container,
      blobName: key,
      permissions: BlobSASPermissions.parse(of("sp")),
      expiresOn: new Date(of("se")),
      protocol: of("spr") as SASProtocol,
      version: of("sv"),
      ...(query.has("versionid") && { versionId: of("versionid") }),
      ...(query.has("rscd") && { contentDisposition: of("rscd") }),
    };
    const signed = new URLSearchParams(
      generateBlobSASQueryParameters(blob, delegation, account).toString(),
    );
    signed.sort();
    return signed.toString();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const describing = ["skoid", "sktid", "skt", "ske", "sks", "skv"];
const writes: ReadonlySet<string> = new Set(["block", "blocklist", "lease", "snapshot"]);

/** The letter that the operation takes; a sign that stands nowhere when no address may do it. */
function neededFor({ method, query }: SignedAddress): string {
  const comp = query.get("comp");
  if (method === "GET" || method === "HEAD") return comp === null ? "r" : "?";
  if (method === "PUT") return comp === null || writes.has(comp) ? "w" : "?";
  return method === "DELETE" && comp === null ? "d" : "?";
}

import { createHash } from "node:crypto";
import type { Body } from "./body.ts";
import { S3Error } from "./s3-error.ts";
import type { Verified } from "./signature.ts";

/** The body is the one whose SHA-256 was signed. */
export function checkPayload(body: Body, { payloadSha256 }: Verified): void {
  if (payloadSha256 !== null && body.sha256 !== payloadSha256)
    throw new S3Error("XAmzContentSHA256Mismatch");
}

/**
 * Content-MD5 and the x-amz-checksum-* that can be computed here, from headers or, hoisted by a
 * presigner, from the query. That is how a URL which was signed with the checksum of an empty body
 * refuses the real one.
 */
export async function checkChecksums(
  body: Body,
  headers: ReadonlyMap<string, string>,
  query: ReadonlyMap<string, string>,
): Promise<void> {
  const given = new Map([...query, ...headers].map(([name, v]) => [name.toLowerCase(), v]));
  const md5 = given.get("content-md5");
  if (md5 !== undefined && md5.length !== 24) throw new S3Error("InvalidDigest");
  if (md5 !== undefined && md5 !== Buffer.from(body.md5, "hex").toString("base64"))
    throw new S3Error("BadDigest");
  for (const [name, value] of given) {
    const algorithm = name.startsWith("x-amz-checksum-") ? name.slice(15) : "mode";
    // For reads and for uploads as a whole, these only say which checksums are wanted.
    if (["mode", "algorithm", "type"].includes(algorithm)) continue;
    if (value !== (await checksum(body, algorithm))) throw new S3Error("BadDigest");
  }
}

async function checksum(body: Body, algorithm: string): Promise<string> {
  if (algorithm === "crc32") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(body.crc32);
    return bytes.toString("base64");
  }
  if (algorithm !== "sha256" && algorithm !== "sha1")
    throw new S3Error("NotImplemented", `x-amz-checksum-${algorithm}`);
  const hash = createHash(algorithm);
  for await (const chunk of body.read(0, body.sizeBytes)) hash.update(chunk);
  return hash.digest("base64");
}

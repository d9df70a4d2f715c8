import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Operation } from "./operation.ts";
import { encode, encodePath, type RequestTarget } from "./request-target.ts";
import { S3Error, type ErrorCode } from "./s3-error.ts";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** A temporary session has one: it has to come along with every request, and be signed. */
  sessionToken?: string;
  /** The end of that session; URLs signed with it end then too, whatever they say themselves. */
  expiresAtMs?: number;
  /** An account of AWS owns the buckets that are made with these, and no other may use them. */
  account?: string;
  /** A role's policy allows this; all when left out. `owner` is the bucket's, if there is one. */
  allows?: (operation: Operation, bucket: string, key: string, owner?: string) => boolean;
}

export interface UnverifiedRequest extends RequestTarget {
  method: string;
  headers: ReadonlyMap<string, string>;
}

export interface Verified {
  presigned: boolean;
  /** The body must have this hexadecimal SHA-256; null when the signature does not cover it. */
  payloadSha256: string | null;
  credentials?: Credentials;
}

export interface Verifier {
  credentials: readonly Credentials[];
  region: string;
  nowMs: number;
}

const algorithm = "AWS4-HMAC-SHA256";
const unsigned = "UNSIGNED-PAYLOAD";
const maxSkewMs = 15 * 60_000;
const maxExpiresSeconds = 604_800;

/** Fields of both ways of signing, by header and by query. */
interface Claim {
  credential: string;
  date: string;
  signedHeaders: string[];
  signature: string;
  payloadHash: string;
  sessionToken: string | undefined;
  query: [string, string][];
  malformed: ErrorCode;
}

/** By AWS Signature Version 4, it throws S3Error unless one of the credentials signed it, now. */
export function verify(request: UnverifiedRequest, verifier: Verifier): Verified {
  const header = request.headers.get("authorization");
  const presigned = request.query.some(([name]) => /^x-amz-(algorithm|signature)$/i.test(name));
  if (header !== undefined && presigned)
    throw new S3Error("InvalidArgument", "Only one auth mechanism allowed.");
  if (header === undefined && !presigned)
    throw new S3Error("AccessDenied", "Anonymous access is forbidden for this operation.");
  const claim = presigned ? claimOfQuery(request) : claimOfHeader(request, header ?? "");
  const signedAtMs = timeOf(claim);
  if (presigned) checkExpiry(request, signedAtMs, verifier.nowMs);
  else if (Math.abs(verifier.nowMs - signedAtMs) > maxSkewMs)
    throw new S3Error("RequestTimeTooSkewed");
  const credentials = credentialsOf(claim, verifier);
  checkSignature(request, claim, credentials, verifier.region);
  checkSession(claim, credentials, verifier.nowMs);
  return {
    presigned,
    payloadSha256: claim.payloadHash === unsigned ? null : claim.payloadHash,
    credentials,
  };
}

function claimOfHeader({ headers, query }: UnverifiedRequest, header: string): Claim {
  const malformed = "AuthorizationHeaderMalformed";
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+), ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$/;
  const [, credential, signedHeaders, signature] = form.exec(header) ?? [];
  const payloadHash = headers.get("x-amz-content-sha256");
  if (credential === undefined || signedHeaders === undefined || signature === undefined)
    throw new S3Error(malformed);
  if (payloadHash === undefined)
    throw new S3Error("InvalidRequest", "Missing required header: x-amz-content-sha256");
  return {
    credential,
    signature,
    signedHeaders: signedHeaders.split(";"),
    date: headers.get("x-amz-date") ?? "",
    payloadHash: knownHash(payloadHash),
    sessionToken: headers.get("x-amz-security-token"),
    query,
    malformed,
  };
}

function claimOfQuery({ headers, query }: UnverifiedRequest): Claim {
  const malformed = "AuthorizationQueryParametersError";
  const one = (name: string): string => {
    const values = query.filter((pair) => pair[0] === name);
    if (values.length !== 1) throw new S3Error(malformed, `${name} has to be there once.`);
    return values[0]?.[1] ?? "";
  };
  if (one("X-Amz-Algorithm") !== algorithm) throw new S3Error(malformed);
  const optional = (name: string) =>
    query.some((pair) => pair[0] === name) ? one(name) : undefined;
  const payloadHash =
    optional("X-Amz-Content-Sha256") ?? headers.get("x-amz-content-sha256") ?? unsigned;
  return {
    credential: one("X-Amz-Credential"),
    signature: one("X-Amz-Signature"),
    signedHeaders: one("X-Amz-SignedHeaders").split(";"),
    date: one("X-Amz-Date"),
    payloadHash: knownHash(payloadHash),
    sessionToken: optional("X-Amz-Security-Token"),
    query: query.filter(([name]) => name !== "X-Amz-Signature"),
    malformed,
  };
}

/** Streaming forms (aws-chunked) are refused: nothing here sends them; half a check is none. */
function knownHash(value: string): string {
  if (value === unsigned || /^[0-9a-f]{64}$/.test(value)) return value;
  if (value.startsWith("STREAMING-")) throw new S3Error("NotImplemented", value);
  throw new S3Error("InvalidArgument", "x-amz-content-sha256 must be a SHA-256.");
}

function timeOf({ date, malformed }: Claim): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const timeMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(timeMs)) {
    const code = malformed === "AuthorizationHeaderMalformed" ? "AccessDenied" : malformed;
    throw new S3Error(code, "A valid X-Amz-Date is required.");
  }
  return timeMs;
}

function checkExpiry({ query }: UnverifiedRequest, signedAtMs: number, nowMs: number): void {
  const given = query.filter(([name]) => name === "X-Amz-Expires").map(([, value]) => value);
  const seconds = /^\d{1,9}$/.test(given[0] ?? "") ? Number(given[0]) : Number.NaN;
  if (given.length !== 1 || !(seconds >= 1 && seconds <= maxExpiresSeconds))
    throw new S3Error("AuthorizationQueryParametersError", "X-Amz-Expires must be 1 to 604800.");
  if (signedAtMs - nowMs > maxSkewMs) throw new S3Error("AccessDenied", "Request is not valid yet");
  if (nowMs > signedAtMs + seconds * 1_000)
    throw new S3Error("AccessDenied", "Request has expired");
}

function credentialsOf(claim: Claim, verifier: Verifier): Credentials {
  const [accessKeyId, day, region, service, end, ...rest] = claim.credential.split("/");
  const scope = [day, region, service, end];
  const expected = [claim.date.slice(0, 8), verifier.region, "s3", "aws4_request"];
  if (rest.length > 0 || scope.join("/") !== expected.join("/"))
    throw new S3Error(claim.malformed, `The scope must be ${expected.join("/")}.`);
  const known = verifier.credentials.find((one) => one.accessKeyId === accessKeyId);
  if (known === undefined) throw new S3Error("InvalidAccessKeyId");
  return known;
}

function checkSignature(
  request: UnverifiedRequest,
  claim: Claim,
  { secretAccessKey }: Credentials,
  region: string,
): void {
  const canonical = [
    request.method,
    encodePath(request.path),
    canonicalQuery(claim.query),
    ...canonicalHeaders(request, claim),
    "",
    claim.signedHeaders.join(";"),
    claim.payloadHash,
  ].join("\n");
  const scope = `${claim.date.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = [algorithm, claim.date, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const expected = Buffer.from(hmac(key, toSign).toString("hex"));
  const given = Buffer.from(claim.signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new S3Error("SignatureDoesNotMatch");
}

function canonicalQuery(query: [string, string][]): string {
  // By name first: sorted as whole strings, `a-b=` would come before `a=`.
  return query
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Every x-amz header must be signed: one that is not could be put in by whoever holds the URL. */
function canonicalHeaders({ headers }: UnverifiedRequest, { signedHeaders }: Claim): string[] {
  const isSorted = signedHeaders.every(
    (name, index) => index === 0 || (signedHeaders[index - 1] ?? "") < name,
  );
  const unsignedOnes = [...headers.keys()].filter(
    (name) => name.startsWith("x-amz-") && !signedHeaders.includes(name),
  );
  if (!isSorted || !signedHeaders.includes("host") || unsignedOnes.length > 0)
    throw new S3Error("AccessDenied", `Headers not signed: ${unsignedOnes.join(" ")}`);
  return signedHeaders.map((name) => {
    const value = headers.get(name);
    if (value === undefined) throw new S3Error("SignatureDoesNotMatch", `${name} was signed.`);
    return `${name}:${value.trim().replaceAll(/ +/g, " ")}`;
  });
}

function checkSession(claim: Claim, credentials: Credentials, nowMs: number): void {
  if (claim.sessionToken !== credentials.sessionToken) throw new S3Error("InvalidToken");
  if (credentials.expiresAtMs !== undefined && nowMs >= credentials.expiresAtMs)
    throw new S3Error("ExpiredToken");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

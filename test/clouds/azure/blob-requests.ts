import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { BlobRefusal, type Blob, type BlobAccount, type BlobState } from "./blobs.ts";

export interface BlobRequest {
  method: string;
  container: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface DoubleReply {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** Carries out what was allowed. */
export function answerBlobRequest(account: BlobAccount, request: BlobRequest): DoubleReply {
  const { method, container, key, query, headers, body } = request;
  const comp = query.get("comp");
  if (key === "" && comp === "list" && method === "GET") return list(account, container, query);
  if (key === "") throw new BlobRefusal(400, "InvalidUri");
  const versionId = query.get("versionid");
  const range = headers.range ?? headers["x-ms-range"]?.toString();
  const onlyNew = headers["if-none-match"] === "*";
  if (method === "GET" && comp === "blocklist") return blockList(account, container, key);
  if (method === "GET" || method === "HEAD") {
    if (comp !== null) throw new BlobRefusal(400, "InvalidQueryParameterValue");
    const named = { disposition: query.get("rscd"), range };
    return stateReply(account, account.state(container, key, versionId), method, named);
  }
  if (method === "DELETE") {
    const snapshots = headers["x-ms-delete-snapshots"];
    account.delete(container, key, versionId, { ifMatch: headers["if-match"], snapshots });
    return { status: 202 };
  }
  if (method !== "PUT") throw new BlobRefusal(405, "UnsupportedHttpVerb");
  if (headers["content-length"] === undefined)
    throw new BlobRefusal(411, "MissingContentLengthHeader");
  if (comp === "lease") {
    const id = account.lease(container, key, String(headers["x-ms-lease-action"]));
    return id === undefined
      ? { status: 202, headers: { "x-ms-lease-time": "0" } }
      : { status: 201, headers: { "x-ms-lease-id": id } };
  }
  if (comp === "snapshot") {
    account.snapshot(container, key);
    return { status: 201 };
  }
  if (comp === "block") {
    account.putBlock(container, key, query.get("blockid") ?? "", body);
    const md5 = createHash("md5").update(body).digest("base64");
    return { status: 201, headers: { "content-md5": md5 } };
  }
  if (comp === "blocklist") {
    const found = body.toString().matchAll(/<(?:Uncommitted|Latest)>([^<]*)</g);
    const ids = Array.from(found, ([, id]) => id);
    return made(account, account.putBlockList(container, key, ids, onlyNew));
  }
  if (comp !== null) throw new BlobRefusal(400, "InvalidQueryParameterValue");
  if (headers["x-ms-blob-type"] !== "BlockBlob")
    throw new BlobRefusal(400, "MissingRequiredHeader");
  return made(account, account.putBlob(container, key, body, onlyNew));
}

const pageSize = 100;

function made(account: BlobAccount, state: BlobState): DoubleReply {
  return { status: 201, headers: { etag: state.etag, ...versionHeader(account, state) } };
}

function versionHeader(account: BlobAccount, { versionId }: BlobState): Record<string, string> {
  return account.isVersioning ? { "x-ms-version-id": versionId } : {};
}

function stateReply(
  account: BlobAccount,
  state: BlobState,
  method: string,
  { disposition, range }: { disposition: string | null; range: string | undefined },
): DoubleReply {
  const { bytes, etag } = state;
  const named = disposition === null ? {} : { "content-disposition": disposition };
  const headers = { etag, ...versionHeader(account, state), ...named };
  const found = /^bytes=(\d+)-(\d*)$/.exec(range ?? "");
  if (method === "HEAD")
    return { status: 200, headers: { ...headers, "content-length": String(bytes.length) } };
  if (found === null) return { status: 200, headers, body: bytes };
  const start = Number(found[1]);
  const end = Math.min(found[2] === "" ? Infinity : Number(found[2]), bytes.length - 1);
  if (start >= bytes.length) throw new BlobRefusal(416, "InvalidRange");
  const own = { ...headers, "content-range": `bytes ${start}-${end}/${bytes.length}` };
  return { status: 206, headers: own, body: bytes.subarray(start, end + 1) };
}

function blockList(account: BlobAccount, container: string, key: string): DoubleReply {
  const blocks = Array.from(
    account.waiting(container, key),
    ([id, bytes]) => `<Block><Name>${id}</Name><Size>${bytes.length}</Size></Block>`,
  );
  const list = `<UncommittedBlocks>${blocks.join("")}</UncommittedBlocks>`;
  return xml(`<BlockList><CommittedBlocks />${list}</BlockList>`);
}

/** Names come in order, a name's states oldest first. A marker is the number of what was listed. */
function list(account: BlobAccount, container: string, query: URLSearchParams): DoubleReply {
  const include = new Set((query.get("include") ?? "").split(","));
  const entries = [...account.container(container)]
    .filter(([key]) => key.startsWith(query.get("prefix") ?? ""))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, blob]) => entriesOf(account, key, blob, include));
  const start = Number((query.get("marker") ?? "").replace(/^&<page>/, ""));
  const page = entries.slice(start, start + pageSize);
  // Azure does not define the form of a marker: this one has to be escaped twice.
  const next = start + pageSize < entries.length ? `&amp;&lt;page&gt;${start + pageSize}` : "";
  return xml(
    `<EnumerationResults ContainerName="${container}"><Blobs>${page.join("")}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
  );
}

function entriesOf(
  account: BlobAccount,
  key: string,
  blob: Blob,
  include: ReadonlySet<string>,
): string[] {
  const states = include.has("versions") ? blob.states : blob.states.filter(isCurrent);
  const entries = states.map((state) => {
    const version = account.isVersioning ? `<VersionId>${state.versionId}</VersionId>` : "";
    const current = isCurrent(state) ? "<IsCurrentVersion>true</IsCurrentVersion>" : "";
    return entry(key, version + current, state.bytes.length, state.modifiedMs);
  });
  const isWaiting = blob.current === undefined && blob.waiting.size > 0;
  if (isWaiting && include.has("uncommittedblobs")) entries.push(entry(key, "", 0, Date.now()));
  return entries;
  function isCurrent(state: BlobState): boolean {
    return state === blob.current;
  }
}

function entry(key: string, version: string, sizeBytes: number, modifiedMs: number): string {
  const name = key.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const modified = `<Last-Modified>${new Date(modifiedMs).toUTCString()}</Last-Modified>`;
  const properties = `${modified}<Content-Length>${sizeBytes}</Content-Length><Content-MD5 />`;
  return `<Blob><Name>${name}</Name>${version}<Properties>${properties}</Properties><OrMetadata /></Blob>`;
}

function xml(text: string): DoubleReply {
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: `\uFEFF<?xml version="1.0" encoding="utf-8"?>${text}`,
  };
}

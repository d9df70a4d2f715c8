import { createReadStream, createWriteStream } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { pipeline } from "node:stream/promises";
import { inParallel } from "@lossless/client/in-parallel";

/** A part of a local file, and the address where it goes or comes from. */
export interface RawRequest {
  url: string;
  headers: Record<string, string>;
  path: string;
  start: number;
  length: number;
}

const chunkBytes = 512 * 1_024;

/** The floor of a push: the parts of files sent to a store, and nothing else. */
export async function putAll(requests: readonly RawRequest[], parallel: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  await inParallel(parallel, requests, async ({ url, headers, path, start, length }) => {
    const all = { ...headers, "content-length": length };
    const outgoing = request(url, { method: "PUT", agent, headers: all });
    const reply = replyOf(outgoing);
    const end = start + length - 1;
    await pipeline(createReadStream(path, { start, end, highWaterMark: chunkBytes }), outgoing);
    const incoming = await reply;
    incoming.resume();
    if (!incoming.readableEnded) await new Promise((resolve) => incoming.once("end", resolve));
  });
  agent.destroy();
}

/** The floor of a pull writes parts into their files and syncs each file after its last part. */
export async function getAll(requests: readonly RawRequest[], parallel: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const left = new Map<string, number>();
  for (const { path } of requests) left.set(path, (left.get(path) ?? 0) + 1);
  for (const path of left.keys()) await writeFile(path, "", { flag: "wx" });
  await inParallel(parallel, requests, async ({ url, headers, path, start }) => {
    const outgoing = request(url, { agent, headers });
    outgoing.end();
    await pipeline(await replyOf(outgoing), createWriteStream(path, { flags: "r+", start }));
    const more = left.get(path)! - 1;
    left.set(path, more);
    if (more > 0) return;
    await using file = await open(path, "r+");
    await file.sync();
  });
  agent.destroy();
}

function replyOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on("error", reject).on("response", (reply) => {
      const { statusCode = 0 } = reply;
      if (statusCode >= 200 && statusCode < 300) resolve(reply);
      else reject(new Error(`the store answered with ${statusCode}`));
    });
  });
}

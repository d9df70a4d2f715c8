import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The "append floor" is a bare server: it appends each body to a file, syncs the file and answers.
 * Bodies that arrive while a sync runs share the next one.
 */
const file = await open(process.argv[2], "a");
let waiting: { body: Buffer[]; done: () => void }[] = [];
let isRunning = false;

const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on("data", (chunk: Buffer) => body.push(chunk));
  request.on("end", () => {
    waiting.push({ body, done: () => response.writeHead(200, headers).end(reply) });
    if (!isRunning) void run();
  });
});
const reply = Buffer.from("{}");
const headers = { "content-type": "application/json", "content-length": reply.length };

async function run(): Promise<void> {
  isRunning = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await file.writev(group.flatMap(({ body }) => body));
    await file.datasync();
    for (const { done } of group) done();
  }
  isRunning = false;
}

server.listen(0, "127.0.0.1", () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit());

import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * The raw store beside the built-in location: a bare server that streams each PUT into a fresh file
 * of the directory it is given, syncs it and answers, and sends it back on GET. No signature, no
 * checksum, no name made durable.
 */
const directory = process.argv[2];

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(directory, request.url!);
  if (request.method === "PUT") {
    await pipeline(request, createWriteStream(path, { flags: "wx", flush: true }));
    response.writeHead(200, { etag: '"raw"', "content-length": 0 }).end();
    return;
  }
  const { size } = await stat(path);
  response.writeHead(200, { "content-length": size });
  await pipeline(createReadStream(path, { highWaterMark: 512 * 1_024 }), response);
}

server.listen(0, "127.0.0.1", () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit());

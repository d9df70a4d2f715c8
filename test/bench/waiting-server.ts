import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A bare server that keeps each request as long as it asks to wait, and nothing of its body. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { waitMs } = JSON.parse(Buffer.concat(chunks).toString()) as { waitMs: number };
    chunks.length = 0;
    setTimeout(() => response.writeHead(200).end("{}"), waitMs);
  });
});

server.listen(0, "127.0.0.1", () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit());

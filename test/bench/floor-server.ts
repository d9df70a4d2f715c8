import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The "HTTP floor" is a bare server: it parses a body and writes a full reply, nothing between. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const events = JSON.parse(Buffer.concat(chunks).toString()) as {
      messageId: string;
      data: Data;
    }[];
    const replies = events.map(({ messageId, data: { experimentId, metricName } }) => ({
      messageId: randomUUID(),
      correlationId: messageId,
      event: "svc.v2.metricRecorded",
      data: { experimentId, metricName, deduplicated: false },
    }));
    const body = Buffer.from(JSON.stringify(replies));
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
});

interface Data {
  experimentId: string;
  metricName: string;
}

server.listen(0, "127.0.0.1", () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit());

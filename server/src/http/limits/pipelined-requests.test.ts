import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { suite, test } from "node:test";
import { PipelinedRequests } from "./pipelined-requests.ts";

/** A server with three requests on one connection, of which the first is not answered yet. */
async function pipelined() {
  const requests = new PipelinedRequests();
  const running: (string | undefined)[] = [];
  const handedOut = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const dropped = Promise.withResolvers<unknown>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const turn = requests.turn(request, response);
    if (request.url === "/3") handedOut.resolve();
    await turn;
    running.push(request.url);
    await gate.promise;
    response.end(request.url);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(dropped.resolve);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const lines = ["/1", "/2", "/3"].map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
  socket.setEncoding("latin1").write(lines.join(""));
  await handedOut.promise;
  return { running, gate, dropped: dropped.promise, server, socket };
}

suite("requests sent without waiting for replies", () => {
  test("run one after another, and are answered in order", async () => {
    const { running, gate, server, socket } = await pipelined();
    assert.deepEqual(running, ["/1"]);
    gate.resolve();
    let text = "";
    for await (const chunk of socket) if ((text += chunk).endsWith("/3")) break;
    assert.deepEqual(running, ["/1", "/2", "/3"]);
    assert.deepEqual(text.match(/^\/\d/gm), ["/1", "/2", "/3"]);
    server.close();
  });

  test("do not run when their client is gone", async () => {
    const { running, dropped, server, socket } = await pipelined();
    socket.destroy();
    assert.equal(((await dropped) as Error).name, "ClientGone");
    assert.deepEqual(running, ["/1"]);
    server.close();
  });
});

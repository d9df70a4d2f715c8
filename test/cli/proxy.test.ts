import assert from "node:assert/strict";
import { request, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import { answering, type LoopbackServer } from "../loopback.ts";
import { suiteService } from "../suite-service.ts";
import { finished, start } from "./command-line.ts";

describe("the command line behind a proxy", () => {
  const service = suiteService();
  /** The requests of the proxy, with their passwords. */
  const seen: [string, string | undefined][] = [];
  let proxy: LoopbackServer;

  before(async () => {
    proxy = await answering(forward);
  });

  after(async () => {
    await proxy[Symbol.asyncDispose]();
  });

  /** Forwards what is asked for by a whole address to the service, whatever its name. */
  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url = "", headers } = incoming;
    seen.push([url, headers["proxy-authorization"]]);
    const { pathname, search } = new URL(url);
    const { host: _, ...others } = headers;
    const onwards = request(service.baseUrl + pathname + search, { method, headers: others });
    onwards.on("response", (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onwards);
  }

  test("asks it for what is at another machine, with its password", async () => {
    seen.length = 0;
    const environment = {
      http_proxy: `http://me:p%40ss@${new URL(proxy.origin).host}`,
      no_proxy: "",
    };
    const result = await finished(
      start("http://lossless.example", ["runs", "--json"], environment),
    );
    assert.equal(result.code, 0, result.stderr);
    const words = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    assert.ok(seen.length > 0);
    for (const [url, password] of seen) {
      assert.match(url, /^http:\/\/lossless\.example\//);
      assert.equal(password, words);
    }
  });

  test("goes past it to this machine", async () => {
    seen.length = 0;
    for (const none of ["", "other.example"]) {
      const environment = { http_proxy: proxy.origin, no_proxy: none };
      const result = await finished(start(service.baseUrl, ["runs", "--json"], environment));
      assert.equal(result.code, 0, result.stderr);
    }
    assert.deepEqual(seen, []);
  });
});

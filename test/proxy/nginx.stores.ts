/**
 * The nginx snippet of docs/operating.md in front of two nodes, as it stands there but for
 * addresses, port and certificate. nginx comes from Debian (test/stores/install.ts).
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { finished, type Finished, start } from "../cli/command-line.ts";
import { freePort } from "../free-port.ts";
import { sharedPostgres } from "../postgres.ts";
import { people, Service } from "../service.ts";
import { Daemons } from "../stores/daemons.ts";
import {
  makeCertificate,
  nginxConfigFile,
  type Proxy,
  snippet,
  startNginx,
  writeNginxConfig,
} from "./nginx.ts";

const partBytes = 8 * 1_048_576;

suite("behind nginx", () => {
  const resources = new AsyncDisposableStack();
  let daemons: Daemons;
  let port: number;
  let certificate: string;
  let nodes: Service[];

  before(async () => {
    daemons = resources.use(await Daemons.in("nginx"));
    port = await freePort();
    certificate = await makeCertificate(daemons);
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    const shared = join(daemons.directory, "artifacts");
    await mkdir(shared, { mode: 0o700 });
    const flags = ["--base-url", `https://localhost:${port}`, "--trusted-proxies", "127.0.0.1"];
    nodes = await Promise.all(
      [1, 2].map(() =>
        Service.start({
          databaseUrl,
          people: true,
          flags: [...flags, "--artifacts", shared, "--master-key-file", masterKey(daemons)],
        }),
      ),
    );
    for (const node of nodes) resources.use(node);
    writeNginxConfig(proxy());
    startNginx(proxy());
    await daemons.until("nginx answered", () => ask("/healthz").then(isWhole, () => false));
  });
  after(() => resources.disposeAsync());

  const proxy = (): Proxy => ({ daemons, port, certificate, nodes });

  function ask(
    path: string,
    {
      method = "GET",
      body,
      headers = {},
    }: { method?: string; body?: string; headers?: object } = {},
  ): Promise<{ status: number; text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const options = { method, ca: readFileSync(certificate), headers: { ...headers } };
    request(`https://localhost:${port}${path}`, options, (reply) => {
      text(reply).then((read) => resolve({ status: reply.statusCode ?? 0, text: read }), reject);
    })
      .on("error", reject)
      .end(body);
    return promise;
  }

  function lossless(...words: string[]): Promise<Finished> {
    const trusts = { NODE_EXTRA_CA_CERTS: certificate };
    return finished(start(`https://localhost:${port}`, words, trusts, daemons.directory));
  }

  async function succeeds(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await lossless(...words);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  test("parts of 8 MiB, and what they are read back as", async () => {
    const source = join(daemons.directory, "weights.bin");
    const bytes = Buffer.alloc(2 * partBytes + 7, "lossless");
    writeFileSync(source, bytes);
    await succeeds("push", source, "runs/nginx", "--version", "1");
    await succeeds("pull", "runs/nginx", "restored");
    const restored = readFileSync(join(daemons.directory, "restored", "weights.bin"));
    assert.ok(restored.equals(bytes));
  });

  test("metrics, and streams of them as they are read", async () => {
    const rows = Array.from(
      { length: 50_000 },
      (_, step) => `${step},${step},loss,${Math.sin(step)}`,
    );
    const file = join(daemons.directory, "run.csv");
    writeFileSync(file, ["step,elapsed_ms,metric,value", ...rows].join("\n"));
    await succeeds("import", file);
    const points = await succeeds("series", "points", "run", "loss");
    assert.equal(points.trim().split("\n").length, rows.length);
  });

  test("both nodes are asked, and each knows the sender by X-Forwarded-For", async () => {
    for (let tries = 0; tries < 4; tries++) {
      const { email, password } = people.ada;
      const reply = await ask("/api/v1/sessions", {
        method: "POST",
        body: JSON.stringify({ email, password }),
        headers: { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" },
      });
      assert.equal(reply.status, 201, reply.text);
    }
    const { databaseUrl = "" } = nodes[0].options;
    const audit = await finished(
      start("", ["audit", "--limit", "4", "--database-url", databaseUrl]),
    );
    assert.equal(
      audit.stdout.match(/session\.created +ada@acme\.test .*203\.0\.113\.9/g)?.length,
      4,
    );
  });

  test("where the limit of bodies was forgotten the client says that a proxy refuses", async () => {
    const line = "client_max_body_size 0;";
    assert.ok(snippet.includes(line));
    writeNginxConfig(proxy(), snippet.replace(line, ""));
    const where = ["-p", daemons.directory, "-c", nginxConfigFile(daemons)];
    await daemons.run("nginx", [...where, "-s", "reload"]);
    const large = { method: "POST", body: "x".repeat(2_000_000) };
    await daemons.until("nginx had its own limit", async () => {
      return (await ask("/api/v2/events", large)).status === 413;
    });
    const source = join(daemons.directory, "again.bin");
    writeFileSync(source, Buffer.alloc(partBytes, "x"));
    const { code, stderr } = await lossless("push", source, "runs/forgotten", "--version", "1");
    assert.equal(code, 1);
    assert.match(stderr, /HTTP 413: a proxy before the store .*client_max_body_size/);
  });
});

function isWhole({ status }: { status: number }): boolean {
  return status === 200;
}

function masterKey({ directory }: Daemons): string {
  const file = join(directory, "master.key");
  writeFileSync(file, `${"5".repeat(64)}\n`, { mode: 0o600 });
  return file;
}

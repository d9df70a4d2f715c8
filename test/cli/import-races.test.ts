import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { buffer } from "node:stream/consumers";
import { LosslessClient } from "@lossless/client";
import { organizations, Service } from "../service.ts";
import { finished, start } from "./command-line.ts";

let service: Service;
let directory: string;
let client: LosslessClient;

before(async () => {
  service = await Service.start();
  directory = await mkdtemp(join(tmpdir(), "lossless-import-races-"));
  client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** Stands before the service. Requests that open an experiment wait until as many have come. */
async function openingTogether(count: number) {
  let waiting: (() => void)[] = [];
  const pass = async (asked: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const body = await buffer(asked);
    const headers = new Headers();
    for (const [name, value] of Object.entries(asked.headers))
      if (!["host", "connection", "content-length"].includes(name))
        headers.set(name, String(value));
    if (count > 0 && body.includes('"svc.v2.experiment.open"')) {
      const together = new Promise<void>((resolve) => waiting.push(resolve));
      if (waiting.length === count) {
        count = 0;
        for (const resolve of waiting) resolve();
        waiting = [];
      }
      await together;
    }
    const hasBody = asked.method !== "GET" && asked.method !== "HEAD";
    const answer = await fetch(new URL(asked.url!, service.baseUrl), {
      method: asked.method!,
      headers,
      ...(hasBody && { body: new Uint8Array(body) }),
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const left = ["content-encoding", "content-length", "transfer-encoding", "connection"];
    reply.writeHead(
      answer.status,
      [...answer.headers].filter(([name]) => !left.includes(name)).flat(),
    );
    reply.end(bytes);
  };
  const proxy = createServer((asked, reply) => {
    pass(asked, reply).catch(() => reply.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

const header = "step,elapsed_ms,metric,value\n";
/** Files of two runs: they begin alike, and one is longer. */
const rows = (own: number, count: number) =>
  Array.from({ length: count }, (_, step) => `${step},${step},loss,${step < 5 ? 1 : own}\n`);

async function writeFiles(slug: string, contents: readonly string[]): Promise<string[]> {
  return Promise.all(
    contents.map(async (content, at) => {
      const path = join(directory, `${slug}-${at}`, `${slug}.csv`);
      await mkdir(join(path, ".."));
      await writeFile(path, header + content);
      return path;
    }),
  );
}

async function together(paths: readonly string[], ...words: string[]) {
  await using proxy = await openingTogether(paths.length);
  return await Promise.all(
    paths.map((path) => finished(start(proxy.baseUrl, ["import", path, ...words]))),
  );
}

async function values(slug: string): Promise<number[]> {
  const { experimentId } = await client.experiment({ experimentSlug: slug });
  const partitions = await client.collectSeries({ experimentId, xAxis: "step" });
  return partitions.flatMap(({ value }) => [...value]);
}

suite("imports under one slug at one moment", () => {
  test("of files of two runs one is stored whole, the other not at all", async () => {
    const contents = [rows(2, 40).join(""), rows(3, 60).join("")];
    const paths = await writeFiles("race", contents);
    const ended = await together(paths, "--folder", "races");
    assert.deepEqual(ended.map(({ code }) => code).toSorted(), [0, 1], JSON.stringify(ended));
    const won = ended.findIndex(({ code }) => code === 0);
    const { stderr, stdout } = ended[1 - won];
    assert.match(stdout + stderr, /race was imported from another race\.csv.* --slug-prefix/);
    assert.deepEqual(
      await values("race"),
      rows(2 + won, [40, 60][won]).map((row) => Number(row.split(",")[3])),
    );
    const { meta } = await client.experiment({ experimentSlug: "race" });
    assert.equal((meta["import"] as { rows: number }).rows, [40, 60][won]);
  });

  test("of files that go on from one import in two ways one is stored", async () => {
    const [begun] = await writeFiles("grown", [rows(1, 5).join("")]);
    assert.equal((await finished(start(service.baseUrl, ["import", begun]))).code, 0);
    await rm(join(directory, "grown-0"), { recursive: true });
    const paths = await writeFiles("grown", [rows(2, 40).join(""), rows(3, 60).join("")]);
    const ended = await together(paths);
    assert.deepEqual(ended.map(({ code }) => code).toSorted(), [0, 1], JSON.stringify(ended));
    const won = ended.findIndex(({ code }) => code === 0);
    const { stderr, stdout } = ended[1 - won];
    assert.match(stdout + stderr, /its rows have changed since; nothing was stored/);
    assert.equal((await values("grown")).filter((value) => value === 3 - won).length, 0);
    assert.equal((await values("grown")).length, [40, 60][won]);
  });

  test("of one file both succeed, and its points are stored once", async () => {
    const content = rows(2, 30).join("");
    const ended = await together(await writeFiles("same", [content, content, content]));
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.equal((await values("same")).length, 30);
  });
});

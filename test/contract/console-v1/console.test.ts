import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  AppendConsoleBody,
  AppendConsoleReply,
  ReadConsoleBody,
  ReadConsoleReply,
  SearchConsoleBody,
  SearchConsoleReply,
} from "@lossless/protocol";
import { Figures } from "../../figures.ts";
import type { HttpReply } from "../../http.ts";
import { type ExperimentCaller, observed } from "../callers.ts";
import { setQuota } from "../../quota.ts";
import { runVerify } from "../../crash/verify-command.ts";
import { signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { askTrash, entriesOf, trashed, untilGone } from "../trash-v1/trash-calls.ts";

const beganMs = 1_700_000_000_000;

topic("the console of a run", (system) => {
  test("lines are read back as they were sent, in order of arrival, with their sources", async () => {
    const experiment = await system.acme.open();
    const red = [{ start: 0, end: 5, style: "1;31" }];
    await append(system, experiment, {
      source: { id: "p0", rank: 0, host: "node-1", processId: 17 },
      first: 0,
      lines: [
        line("epoch 1", 0),
        { ...line("error: grün 🙂", 1), stream: "stderr", spans: red },
        line("", 2),
      ],
      open: [{ stream: "stdout", text: "12%|█▏" }],
    });
    await append(system, experiment, { ...from("p1", 0, ["other"]) });
    const { lines, sources, ...numbers } = await read(system, experiment, {});
    assert.deepEqual(
      lines.map(({ line: number, source, stream, text }) => [number, source, stream, text]),
      [
        [0, 0, "stdout", "epoch 1"],
        [1, 0, "stderr", "error: grün 🙂"],
        [2, 0, "stdout", ""],
        [3, 1, "stdout", "other"],
      ],
    );
    assert.deepEqual(lines[1].spans, red);
    assert.equal(lines[1].timestampMs, beganMs + 1);
    assert.ok(!("spans" in lines[0]));
    assert.deepEqual(numbers, { first: 0, next: 4, total: 4 });
    assert.deepEqual(sources, [
      {
        source: 0,
        id: "p0",
        rank: 0,
        host: "node-1",
        processId: 17,
        lines: 3,
        open: [{ stream: "stdout", text: "12%|█▏" }],
      },
      { source: 1, id: "p1", lines: 1, open: [] },
    ]);
  });

  test("a page names all sources, or those of its lines and those with open lines", async () => {
    const experiment = await system.acme.open();
    for (const id of ["a", "b", "c"]) await append(system, experiment, from(id, 0, [`of ${id}`]));
    const open = [{ stream: "stdout" as const, text: "50%" }];
    await append(system, experiment, { ...from("d", 0, ["of d"]), open });
    const ids = async (body: Partial<ReadConsoleBody>) =>
      (await read(system, experiment, body)).sources.map(({ id }) => id);
    assert.deepEqual(await ids({ first: 1, limit: 2 }), ["a", "b", "c", "d"]);
    assert.deepEqual(await ids({ first: 1, limit: 2, sourcesOf: "console" }), ["a", "b", "c", "d"]);
    assert.deepEqual(await ids({ first: 1, limit: 2, sourcesOf: "page" }), ["b", "c", "d"]);
    assert.deepEqual(await ids({ first: 4, sourcesOf: "page" }), ["d"]);
  });

  test("a line is stored once, however often and with whatever others it is sent", async () => {
    const experiment = await system.acme.open();
    const sent = ["a", "b", "c", "d"];
    const ask = (first: number, texts: string[]) =>
      append(system, experiment, from("p", first, texts));
    assert.equal(await ask(0, sent.slice(0, 2)), 2);
    assert.equal(await ask(0, sent.slice(0, 2)), 2);
    assert.equal(await ask(1, sent.slice(1)), 4);
    assert.equal(await ask(0, sent), 4);
    assert.equal(await ask(6, ["lost before"]), 4);
    assert.equal(await ask(4, []), 4);
    assert.deepEqual(await texts(system, experiment, {}), sent);
  });

  test("pages go up and down, begin at a time, and leave out what is not wanted", async () => {
    const experiment = await system.acme.open();
    const all = Array.from({ length: 50 }, (_, number) => `line ${number}`);
    for (let first = 0; first < 50; first += 5)
      await append(system, experiment, from("p", first, all.slice(first, first + 5)));
    await append(system, experiment, {
      ...from("q", 0, ["from q"]),
      lines: [{ ...line("from q", 50), stream: "warning" }],
    });
    assert.deepEqual(await texts(system, experiment, { limit: 2 }), ["line 49", "from q"]);
    assert.deepEqual(await texts(system, experiment, { before: 7, limit: 3 }), all.slice(4, 7));
    assert.deepEqual(await texts(system, experiment, { first: 7, limit: 3 }), all.slice(7, 10));
    assert.deepEqual(
      await texts(system, experiment, { atMs: beganMs + 12, limit: 3 }),
      all.slice(12, 15),
    );
    assert.deepEqual(await texts(system, experiment, { streams: ["warning"] }), ["from q"]);
    assert.deepEqual(await texts(system, experiment, { sources: [1] }), ["from q"]);
    assert.deepEqual(await texts(system, experiment, { first: 51 }), []);
    const walked: string[] = [];
    for (let next = 0; next < 51;) {
      const page = await read(system, experiment, { first: next, limit: 7 });
      walked.push(...page.lines.map(({ text }) => text));
      next = page.next;
    }
    assert.deepEqual(walked, [...all, "from q"]);
  });

  test("a search finds texts and regular expressions, upwards and downwards, line by line", async () => {
    const experiment = await system.acme.open();
    const sent = ["Loss 3.1", "loss 2.9", "acc 0.5", "LOSS nan", "a.b", "axb"];
    await append(system, experiment, from("p", 0, sent));
    const numbers = async (body: Partial<SearchConsoleBody>) =>
      (await search(system, experiment, body)).lines.map(({ line: number }) => number);
    assert.deepEqual(await numbers({ text: "oss" }), [0, 1]);
    assert.deepEqual(await numbers({ text: "loss", ignoreCase: true }), [0, 1, 3]);
    assert.deepEqual(await numbers({ text: "a.b", ignoreCase: true }), [4]);
    assert.deepEqual(await numbers({ pattern: "^[lL]oss \\d" }), [0, 1]);
    assert.deepEqual(await numbers({ pattern: "a.b$" }), [4, 5]);
    assert.deepEqual(await numbers({ pattern: "[^z]acc" }), []);
    assert.deepEqual(await numbers({ text: "oss", first: 1 }), [1]);
    assert.deepEqual(await numbers({ text: "ss", before: 2, limit: 1 }), [1]);
    const first = await search(system, experiment, { text: "ss", limit: 1 });
    assert.deepEqual([first.next, first.isComplete], [1, false]);
    const rest = await search(system, experiment, { text: "ss", first: first.next });
    assert.deepEqual([rest.lines.map(({ text }) => text), rest.isComplete], [["loss 2.9"], true]);
  });

  test("a request that waits for changes is answered when lines come", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const wait = async (revision: number) => {
      const body = { experiments: [{ experimentId, revision }], waitMs: 20_000 };
      const reply = await post(system, "/api/views/v1/changes", system.acme.credential, body);
      return (JSON.parse(reply.text) as { experiments: { revision: number }[] }).experiments;
    };
    const [{ revision }] = await wait(0);
    const waiting = wait(revision);
    // It has begun to wait, or sees the lines at once.
    await texts(system, experiment, {});
    await append(system, experiment, from("p", 0, ["news"]));
    assert.equal((await waiting).length, 1);
  });

  test("what is asked wrongly is refused with a sentence, and changes nothing", async () => {
    const experiment = await system.acme.open();
    const good = from("p", 0, ["a"]);
    const appends: [unknown, RegExp][] = [
      [{ ...good, source: { id: "" } }, /source/],
      [{ ...good, source: { id: "ü" } }, /source/],
      [{ ...good, first: -1 }, /first/],
      [{ ...good, lines: [line("two\nlines", 0)] }, /one line/],
      [{ ...good, lines: [line("x".repeat(16_385), 0)] }, /text/],
      [{ ...good, lines: [{ ...line("a", 0), stream: "stdin" }] }, /stream/],
      [{ ...good, lines: Array.from({ length: 10_001 }, () => line("a", 0)) }, /lines/],
    ];
    for (const [body, sentence] of appends) {
      const reply = await post(system, appendPath(experiment), experiment.token, body);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, sentence);
    }
    assert.deepEqual(await texts(system, experiment, {}), []);
    const searches: [object, RegExp][] = [
      [{}, /Send one of `text` and `pattern`/],
      [{ text: "a", pattern: "a" }, /Send one of/],
      [{ pattern: "(" }, /The regular expression is wrong: .*Unterminated group/],
    ];
    await append(system, experiment, from("p", 0, [`${"a".repeat(60)}b`]));
    searches.push([{ pattern: "^(a+)+$" }, /takes too long on a line/]);
    for (const [body, sentence] of searches) {
      const asked = { experimentId: experiment.experimentId, ...body };
      const reply = await post(system, "/api/console/v1/search", system.acme.credential, asked);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, sentence);
    }
  });

  test("another organization finds nothing, and another experiment's token opens nothing", async () => {
    const experiment = await system.acme.open();
    const other = await system.acme.open();
    await append(system, experiment, from("p", 0, ["secret"]));
    const body = { experimentId: experiment.experimentId };
    const strange = await post(system, "/api/console/v1/read", system.rival.credential, body);
    assert.equal(strange.status, 404, strange.text);
    const reply = await post(system, appendPath(experiment), other.token, from("p", 1, ["b"]));
    assert.equal(reply.status, 401, reply.text);
    assert.deepEqual(await texts(system, experiment, {}), ["secret"]);
  });
});

const figures = await Figures.onFreePort();

topic(
  "the sealed console of a run",
  (system) => {
    test("sealed lines are the same lines", async () => {
      const experiment = await system.acme.open();
      const sent = Array.from(
        { length: 3_000 },
        (_, number) => `${number} ${"x".repeat(number % 300)}`,
      );
      for (let first = 0; first < 3_000; first += 500)
        await append(system, experiment, from("p", first, sent.slice(first, first + 500)));
      await experiment.tell("done");
      assert.deepEqual(await texts(system, experiment, { first: 0, limit: 10_000 }), sent);
      while ((await figures.value("lossless_storage_sealed_lines_total")) < 3_000) await sleep(50);
      await append(system, experiment, from("p", 3_000, ["and one more"]));
      assert.deepEqual(await texts(system, experiment, { first: 0, limit: 10_000 }), [
        ...sent,
        "and one more",
      ]);
      assert.deepEqual(await texts(system, experiment, { before: 3_001, limit: 2 }), [
        sent[2_999],
        "and one more",
      ]);
      assert.deepEqual(await texts(system, experiment, { before: 1_500, limit: 2 }), [
        sent[1_498],
        sent[1_499],
      ]);
      const found = await search(system, experiment, { text: "2999 " });
      assert.deepEqual(
        [found.lines.map(({ line: number }) => number), found.isComplete],
        [[2_999], true],
      );
    });

    test("beyond the organization's quota lines are refused with the limit, and nothing acknowledged is lost", async () => {
      const experiment = await system.acme.open();
      await append(system, experiment, from("p", 0, ["kept"]));
      const { bytes } = (await setQuota(system.service)).stored;
      await setQuota(system.service, "--bytes", String(bytes));
      const more = from("p", 1, ["too much"]);
      const reply = await post(system, appendPath(experiment), experiment.token, more);
      assert.equal(reply.status, 409, reply.text);
      assert.match(reply.text, /"conflict".*bytes that its quota allows/);
      // What is stored is acknowledged again, and asked for.
      assert.equal(await append(system, experiment, from("p", 0, ["kept"])), 1);
      assert.equal(await append(system, experiment, from("p", 1, [])), 1);
      assert.deepEqual(await texts(system, experiment, {}), ["kept"]);
      await setQuota(system.service, "--bytes", "none");
      assert.equal(await append(system, experiment, more), 2);
      assert.deepEqual(await texts(system, experiment, {}), ["kept", "too much"]);
    });

    test("every line is verified and counted, also after a purge", async () => {
      const kept = await system.acme.open();
      const purged = await system.acme.open();
      for (const experiment of [kept, purged])
        await append(system, experiment, from("p", 0, ["one", "two"]));
      const [{ id }] = await trashed(system, purged.experimentId);
      const credential = await signIn(system, "ada");
      await entriesOf(askTrash(system, "purge", { body: { ids: [id] }, credential }));
      await untilGone(system, [id]);
      assert.equal(await system.service.stop(), 0);
      const { code, output } = await runVerify(system.service);
      assert.equal(code, 0, output);
      await system.service.start();
      assert.deepEqual(await texts(system, kept, {}), ["one", "two"]);
    });
  },
  { flags: figures.flags, alone: true },
);

function line(text: string, at: number): AppendConsoleBody["lines"][number] {
  return { timestampMs: beganMs + at, stream: "stdout", text };
}

function from(id: string, first: number, lines: string[]): AppendConsoleBody {
  return { source: { id }, first, lines: lines.map((text, at) => line(text, first + at)) };
}

function appendPath({ experimentId }: ExperimentCaller): string {
  return `/api/console/v1/experiments/${experimentId}/lines`;
}

async function append(
  system: System,
  experiment: ExperimentCaller,
  body: AppendConsoleBody,
): Promise<number> {
  const reply = await post(system, appendPath(experiment), experiment.token, body);
  assert.equal(reply.status, 200, reply.text);
  return (JSON.parse(reply.text) as AppendConsoleReply).next;
}

async function read(
  system: System,
  { experimentId }: ExperimentCaller,
  body: Partial<ReadConsoleBody>,
): Promise<ReadConsoleReply> {
  const asked = { experimentId, ...body };
  const reply = await post(system, "/api/console/v1/read", system.acme.credential, asked);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as ReadConsoleReply;
}

async function texts(
  system: System,
  experiment: ExperimentCaller,
  body: Partial<ReadConsoleBody>,
): Promise<string[]> {
  return (await read(system, experiment, body)).lines.map(({ text }) => text);
}

async function search(
  system: System,
  { experimentId }: ExperimentCaller,
  body: Partial<SearchConsoleBody>,
): Promise<SearchConsoleReply> {
  const asked = { experimentId, ...body };
  const reply = await post(system, "/api/console/v1/search", system.acme.credential, asked);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as SearchConsoleReply;
}

function post(system: System, path: string, credential: string, body: unknown): Promise<HttpReply> {
  return observed(system, { path, credential, body });
}

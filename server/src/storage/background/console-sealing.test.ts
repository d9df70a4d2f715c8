import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mock, test } from "node:test";
import type { AppendConsoleBody, ReadConsoleReply } from "@lossless/protocol";
import { TestBucket } from "../../buckets/bucket.fixture.ts";
import type { SegmentBucket } from "../../buckets/bucket.ts";
import { appendConsole } from "../../console/append.ts";
import { readConsole } from "../../console/read.ts";
import { sealConsole } from "../../console/seal.ts";
import { ConsoleSealer, type ConsoleSealerTools } from "../../console/sealer.ts";
import { DatabaseError, type Reader } from "../../database/database.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { openExperiment } from "../../experiments/open.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { ConsoleSealing } from "./console-sealing.ts";

const settings = { sealPoints: 262_144, sealIdleMs: 600_000 };
const stopped = new AbortController().signal;
const hourMs = 3_600_000;

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("a console is sealed at 2 MiB, when its run has ended, and after an hour of silence", async () => {
    const [short, long, ended] = [await Run.open(node), await Run.open(node), await Run.open(node)];
    await using sealing = clocked(node);
    const { bucket, round } = sealing;
    await short.print(["a", "b"]);
    await ended.print(["c"]);
    await node.execute("UPDATE experiment SET status = 'done' WHERE id = $1", ended.experimentId);
    await long.print(noise(1_900_000));
    const sealed = async () => {
      await round();
      return Promise.all([short, long, ended].map((run) => run.sealed()));
    };
    const all = [short, long, ended];
    const texts = () => Promise.all(all.map((run) => run.texts(bucket)));
    const printed = all.map((run) => run.printed);
    assert.deepEqual(await sealed(), [0, 0, 0]);
    assert.deepEqual(await texts(), printed);
    await long.print(noise(300_000));
    assert.deepEqual(await sealed(), [0, long.printed.length, 0]);
    assert.deepEqual(await texts(), printed);
    sealing.pass(5_001);
    assert.deepEqual(await sealed(), [0, long.printed.length, 1]);
    assert.deepEqual(await texts(), printed);
    sealing.pass(hourMs - 5_002);
    await long.print(["one more"]);
    assert.deepEqual(await sealed(), [0, long.printed.length - 1, 1]);
    sealing.pass(2);
    assert.deepEqual(await sealed(), [2, long.printed.length - 1, 1]);
    sealing.pass(hourMs);
    assert.deepEqual(await sealed(), [2, long.printed.length, 1]);
    assert.deepEqual(await texts(), printed);
  });

  test("a crash before and after an object is published loses, doubles and changes no line", async () => {
    const run = await Run.open(node);
    await run.print(["a", "b", "c"]);
    for (const crash of ["before", "within"] as const) {
      await using sealing = clocked(node, async (input) => {
        if (crash === "within")
          await node
            .counted(async (transaction, context) => {
              await sealConsole(transaction, input, context);
              throw new Error("planted");
            })
            .catch(() => undefined);
        throw new DatabaseError("unknown", "planted");
      });
      sealing.pass(hourMs + 1);
      await sealing.round();
      assert.equal(sealing.warnings.length, 1, crash);
      assert.equal(await run.sealed(), 0, crash);
      assert.deepEqual(await run.texts(sealing.bucket), run.printed, crash);
    }
    await using sealing = clocked(node);
    sealing.pass(hourMs + 1);
    await run.print(["d"]);
    sealing.pass(hourMs + 1);
    await sealing.round();
    assert.equal(await run.sealed(), 4);
    assert.deepEqual(await run.texts(sealing.bucket), run.printed);
  });

  test("who reads while it is sealed sees each line once, in whatever state", async () => {
    const run = await Run.open(node);
    await using sealing = clocked(node);
    await run.print(["a", "b"]);
    sealing.pass(hourMs + 1);
    const other = await fresh.open();
    await other.read(async (reader) => {
      const before = await run.readBy(reader, sealing.bucket);
      await sealing.round();
      assert.equal(await run.sealed(), 2);
      assert.deepEqual(await run.readBy(reader, sealing.bucket), before);
    });
    assert.deepEqual(await run.texts(sealing.bucket), ["a", "b"]);
  });

  test("of two nodes that seal at once one publishes, and the other takes its object away", async () => {
    const run = await Run.open(node);
    await run.print(["a", "b"]);
    const bucket = new TestBucket() as unknown as SegmentBucket & TestBucket;
    const tools = toolsOf(node, bucket);
    const faster = new ConsoleSealer(tools);
    const slower = new ConsoleSealer({
      ...tools,
      async write(name, input) {
        assert.equal(await faster.seal(run.experimentId), 2);
        return tools.write(name, input);
      },
    });
    assert.equal(await slower.seal(run.experimentId), 0);
    assert.deepEqual(await run.texts(bucket), ["a", "b"]);
    const keys: string[] = [];
    for await (const { key } of bucket.list("")) keys.push(key);
    assert.equal(keys.length, 1);
  });
});

type Node = ReturnType<Parameters<Parameters<typeof onEachDatabase>[0]>[0]["node"]>;

/** The sealing of a service whose clock the test moves. */
function clocked(node: Node, write?: (input: SealInput) => Promise<never>) {
  mock.timers.enable({ apis: ["Date"], now: node.nowMs });
  const bucket = new TestBucket() as unknown as SegmentBucket;
  const tools = toolsOf(node, bucket);
  const sealer = new ConsoleSealer(write ? { ...tools, write: (_, input) => write(input) } : tools);
  const warnings: string[] = [];
  const sealing = new ConsoleSealing({
    database: node.database,
    sealer,
    settings,
    slices: undefined,
    warn: (message) => warnings.push(message),
  });
  return {
    bucket,
    warnings,
    round: () => sealing.round(stopped),
    pass(ms: number) {
      node.nowMs += ms;
      mock.timers.setTime(node.nowMs);
    },
    async [Symbol.asyncDispose]() {
      mock.timers.reset();
    },
  };
}

type SealInput = Parameters<ConsoleSealerTools["write"]>[1];

function toolsOf(node: Node, bucket: SegmentBucket): ConsoleSealerTools {
  return {
    database: node.database,
    bucket,
    write: (_, input) => node.write(sealConsole, input),
  };
}

/** A run that prints, and what it has printed. */
class Run {
  readonly printed: string[] = [];
  readonly organizationId: string;
  readonly experimentId: string;
  readonly #node: Node;

  private constructor(node: Node, organizationId: string, experimentId: string) {
    this.#node = node;
    this.organizationId = organizationId;
    this.experimentId = experimentId;
  }

  static async open(node: Node): Promise<Run> {
    const organizationId = await node.newOrganization();
    const data = { slug: "s", description: "", meta: "{}" };
    await node.write(openExperiment, { organizationId, data });
    const [{ id }] = await node.all<{ id: string }>(
      "SELECT id FROM experiment WHERE organization = $1",
      organizationId,
    );
    return new Run(node, organizationId, id);
  }

  async print(texts: string[]): Promise<void> {
    const { organizationId, experimentId } = this;
    const first = this.printed.length;
    const lines: AppendConsoleBody["lines"] = texts.map((text, at) => {
      return { timestampMs: first + at, stream: "stdout", text };
    });
    const body = { source: { id: "p" }, first, lines };
    await this.#node.write(appendConsole, { organizationId, experimentId, body });
    this.printed.push(...texts);
  }

  /** Lines in objects. */
  async sealed(): Promise<number> {
    const [{ sealed }] = await this.#node.all<{ sealed: number }>(
      "SELECT sealed FROM console WHERE experiment = $1",
      this.experimentId,
    );
    return sealed;
  }

  texts(bucket: SegmentBucket): Promise<string[]> {
    return this.#node.database.read((reader) => this.readBy(reader, bucket));
  }

  async readBy(reader: Reader, bucket: SegmentBucket): Promise<string[]> {
    const { organizationId, experimentId } = this;
    const context = { bucket, consoleObjects: new Map() };
    const texts: string[] = [];
    for (let first = 0; ;) {
      const text = new ReplyText({ max: 64 * 1_048_576, left: 64 * 1_048_576 });
      const body = { experimentId, first, limit: 10_000 };
      await readConsole(reader, { organizationId, body }, text, context);
      const { lines, next, total } = JSON.parse(text.end().toString()) as ReadConsoleReply;
      texts.push(...lines.map((line) => line.text));
      first = next;
      if (first >= total) return texts;
    }
  }
}

/** Lines of so many bytes, compressed: a digit has four bits. */
function noise(bytes: number): string[] {
  return Array.from({ length: bytes / 5_000 }, () => randomBytes(5_000).toString("hex"));
}

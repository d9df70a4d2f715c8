import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { configOf } from "../../settings/config.ts";
import { ServiceError } from "../../ground/errors.ts";
import { IdentifierHasher } from "../../points/identifiers/hash.ts";
import { runOrganizationEvents } from "./batch.ts";
import { runExperimentEvents } from "./experiment-batch.ts";
import type { ReceivedEvent } from "./received-event.ts";
import { readRepliesOf } from "../replies/read-replies.ts";
import { TestStorage } from "../storage.fixture.ts";

const create = (name: string): ReceivedEvent<"organization"> => ({
  messageId: `create ${name}`,
  event: "svc.v2.folder.create",
  data: { name, parentFolderId: null },
});
const tree: ReceivedEvent<"organization"> = {
  messageId: "tree",
  event: "svc.v2.foldertree.read",
  data: {},
};
const metric = (messageId: string, experimentId = "e"): ReceivedEvent<"experiment"> => ({
  messageId,
  event: "svc.v2.experiment.metric",
  data: { experimentId, timestampMs: 1, step: 1, metricName: "loss", metricValue: 1, meta: "{}" },
});
const lifecycle = (event: "start" | "done" | "tokenRevoke", experimentId = "e") =>
  ({
    messageId: event,
    event: `svc.v2.experiment.${event}`,
    data: { experimentId },
  }) as ReceivedEvent<"experiment">;

const hasher = new IdentifierHasher(new Uint32Array([1, 2, 3, 4]));
const scope = {
  experimentId: "e",
  organizationId: "o",
  tokenHash: new Uint8Array([7]),
  seriesMax: 3,
};

/** The batch of an organization, within the default limits. */
function run(
  storage: TestStorage,
  batch: ReceivedEvent<"organization">[],
  options: Parameters<typeof configOf>[0] = {},
) {
  const request = { raw: { socket: { destroyed: false } } as IncomingMessage };
  const reply = { raw: new EventEmitter() as ServerResponse };
  const reads = readRepliesOf(configOf(options)).of("o", request, reply);
  return runOrganizationEvents(storage, "o", batch, reads);
}

/** Lists the calls of the storage, in order: names of calls, `n points`, reads. */
function asked(storage: TestStorage): unknown[] {
  return storage.writes.map((writes) =>
    writes.map((write) => (write.kind === "metrics" ? `${write.points.count} points` : write.name)),
  );
}

suite("organization batch", () => {
  test("consecutive writes are one call; a read waits for them (M65)", async () => {
    const storage = new TestStorage();
    const order: string[] = [];
    storage.onWrite = (writes) => void order.push(`write ${writes.length}`);
    storage.onRead = (name) => (order.push(name), { folders: [] });
    const batch = [create("a"), create("b"), tree, create("c"), tree, tree];
    const replies = await run(storage, batch);
    assert.deepEqual(order, [
      "write 2",
      "foldertree.read",
      "write 1",
      "foldertree.read",
      "foldertree.read",
    ]);
    assert.deepEqual(
      replies.map(({ correlationId, event }) => [correlationId, event]),
      batch.map(({ messageId, event }) => [
        messageId,
        event === "svc.v2.foldertree.read"
          ? "svc.v2.foldertree.read.result"
          : "svc.v2.folder.created",
      ]),
    );
    const [write] = storage.writes[0];
    assert.ok(write.kind === "call");
    assert.deepEqual(write.input, {
      organizationId: "o",
      data: { name: "a", parentFolderId: null },
    });
    assert.equal(new Set(replies.map(({ messageId }) => messageId)).size, replies.length);
  });

  test("a failed event is answered in its place and the rest runs (M75)", async () => {
    const storage = new TestStorage();
    storage.onCall = (_name, { data }) =>
      (data as { name: string }).name === "b"
        ? {
            kind: "error",
            code: "folder_already_exists",
            message: "taken",
            details: { folderId: "f" },
          }
        : { folderId: "new" };
    storage.onRead = () => {
      throw new ServiceError("result_too_large", "too large");
    };
    const replies = await run(storage, [create("a"), create("b"), tree, create("c")]);
    assert.deepEqual(replies[1].data, {
      code: "folder_already_exists",
      message: "taken",
      status: 409,
      retryable: false,
      details: { folderId: "f" },
    });
    assert.equal(replies[1].event, "svc.v2.error");
    assert.equal((replies[2].data as { code: string }).code, "result_too_large");
    assert.deepEqual(
      [replies[0].data, replies[3].data],
      [{ folderId: "new" }, { folderId: "new" }],
    );
  });

  test("storage that does not answer a write fails the request (M76)", async () => {
    const storage = new TestStorage();
    storage.onWrite = () => {
      throw new ServiceError("storage_unavailable", "gone");
    };
    await assert.rejects(run(storage, [create("a")]), { code: "storage_unavailable" });
    await assert.rejects(run(storage, [tree, create("a")]), { code: "storage_unavailable" });
  });

  test("a full storage fails the request, but keeps the replies that are there", async () => {
    const storage = new TestStorage();
    storage.onWrite = () => {
      throw new ServiceError("storage_full", "full");
    };
    await assert.rejects(run(storage, [create("a")]), { code: "storage_full" });
    const replies = await run(storage, [tree, create("a"), tree]);
    assert.deepEqual(
      replies.map(({ event, data }) => [event, (data as { status?: number }).status]),
      [
        ["svc.v2.foldertree.read.result", undefined],
        ["svc.v2.error", 507],
        ["svc.v2.foldertree.read.result", undefined],
      ],
    );
  });

  test("a read without storage fails a lone request and one event of several", async () => {
    const storage = new TestStorage();
    storage.onRead = () => {
      throw new ServiceError("storage_unavailable", "gone");
    };
    await assert.rejects(run(storage, [tree]), { code: "storage_unavailable" });
    const [, reply] = await run(storage, [create("a"), tree]);
    assert.equal((reply.data as { retryable: boolean }).retryable, true);
  });
});

suite("experiment batch", () => {
  test("one call of the storage, points of consecutive metrics together, order kept", async () => {
    const storage = new TestStorage();
    const batch = [
      lifecycle("start"),
      metric("1"),
      metric("2"),
      lifecycle("done"),
      metric("3"),
      lifecycle("tokenRevoke"),
    ];
    const replies = await runExperimentEvents({ storage, hasher }, scope, batch);
    assert.deepEqual(asked(storage), [
      ["experiment.start", "2 points", "experiment.done", "1 points", "experiment.tokenRevoke"],
    ]);
    assert.deepEqual(replies.map(({ event }) => event), [
      "svc.v2.experiment.started", "svc.v2.metricRecorded", "svc.v2.metricRecorded",
      "svc.v2.experiment.completed", "svc.v2.metricRecorded", "svc.v2.experiment.tokenRevoked",
    ]); // prettier-ignore
    const write = storage.writes[0][4];
    assert.ok(write.kind === "call");
    assert.deepEqual(write.input, {
      organizationId: "o",
      experimentId: "e",
      tokenHash: scope.tokenHash,
      data: { experimentId: "e" },
    });
  });
});

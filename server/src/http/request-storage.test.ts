import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { Storage } from "../storage/storage.ts";
import { ClientGone } from "./bodies/client-gone.ts";
import { requestStorage } from "./request-storage.ts";

/** Answers nothing: a read ends when it is told to. */
function silentStorage(asked: string[]): Storage {
  const read = (name: string, _: unknown, signal?: AbortSignal) => {
    asked.push(signal === undefined ? `${name} to its end` : name);
    if (signal === undefined) return Promise.resolve(name);
    const { promise, reject } = Promise.withResolvers<never>();
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    return promise;
  };
  return { read } as unknown as Storage;
}

test("what a request reads at length ends when its client goes, or has gone", async () => {
  const asked: string[] = [];
  const response = Object.assign(new EventEmitter(), { closed: false });
  const raw = response as unknown as ServerResponse;
  const storage = requestStorage(silentStorage(asked), { raw });
  const input = { organizationId: "acme" } as never;
  const reads = [storage.read("run.search", input), storage.read("views.audit", input)];
  await storage.read("run.read", input);
  assert.equal(response.listenerCount("close"), 1);
  response.emit("close");
  for (const read of await Promise.allSettled(reads)) {
    assert.ok(read.status === "rejected" && read.reason instanceof ClientGone);
  }
  response.closed = true;
  const later = requestStorage(silentStorage(asked), { raw });
  await assert.rejects(later.read("run.search", input), { name: "ClientGone" });
  assert.deepEqual(asked, ["run.search", "views.audit", "run.read to its end", "run.search"]);
});

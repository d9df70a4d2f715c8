import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FakeService, type Fault } from "../test/fake-service.ts";
import {
  type ClientOptions,
  ConnectionError,
  EventError,
  hasCode,
  LosslessClient,
  OutcomeUnknownError,
  ProtocolError,
  RequestError,
} from "./index.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5, retryForMs: 60_000 };

function clientOf(service: FakeService, options: Partial<ClientOptions> = {}): LosslessClient {
  return new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry, ...options });
}

function once(event: string, fault: Fault) {
  let left = 1;
  return (request: { envelopes: { event: string }[] }): Fault | undefined =>
    request.envelopes.some((envelope) => envelope.event === event) && left-- > 0
      ? fault
      : undefined;
}

suite("client", () => {
  test("auth status, folders, open with a folder, and the record", async () => {
    await using service = await FakeService.start();
    const client = clientOf(service);
    assert.equal((await client.authStatus()).organization.name, "acme");
    const folderId = await client.folders.ensure(["vision", "resnet"]);
    assert.equal(await client.folders.ensure(["vision", "resnet"]), folderId);
    assert.equal(service.folders.length, 2);
    const { experimentId } = await client.openExperiment({ slug: "run", folderId });
    assert.equal((await client.experiment({ experimentSlug: "run" })).folderId, folderId);
    assert.deepEqual((await client.annotations({ experimentId })).annotations, []);
    const tree = await client.folders.tree();
    assert.equal(tree.folders[0]?.folders[0]?.folderId, folderId);
  });

  test("an event error carries code, status and details", async () => {
    await using service = await FakeService.start();
    const client = clientOf(service);
    const { folderId } = await client.folders.create("vision");
    await assert.rejects(client.folders.create("vision"), (error) => {
      assert.ok(error instanceof EventError);
      assert.deepEqual(
        [error.code, error.status, error.retryable],
        ["folder_already_exists", 409, false],
      );
      assert.deepEqual(error.details, { folderId });
      return hasCode(error, "folder_already_exists");
    });
  });

  test("a request error carries status, code and request id, and is not retried when it is ours", async () => {
    await using service = await FakeService.start();
    const client = clientOf(service, { apiKey: "ak_wrong" });
    await assert.rejects(client.folders.tree(), (error) => {
      assert.ok(error instanceof RequestError);
      assert.deepEqual(
        [error.status, error.code, error.requestId],
        [401, "unauthorized", "request-1"],
      );
      return true;
    });
    assert.equal(service.requests.length, 1);
  });

  test("reads are tried again after 503, 429, lost replies and retryable event errors", async () => {
    await using service = await FakeService.start();
    const faults: Fault[] = [
      { kind: "status", status: 503, code: "storage_unavailable" },
      { kind: "status", status: 429, code: "rate_limited", retryAfter: "0" },
      { kind: "lost-reply" },
      { kind: "partial", fails: () => true, code: "storage_unavailable", status: 503 },
    ];
    service.fault = (_, number) => faults[number - 1];
    await clientOf(service).folders.tree();
    assert.equal(service.requests.length, 5);
  });

  test("Retry-After is obeyed as far as the time for retries goes", async () => {
    await using service = await FakeService.start();
    service.fault = () => ({
      kind: "status",
      status: 429,
      code: "rate_limited",
      retryAfter: "3600",
    });
    await assert.rejects(clientOf(service).folders.tree(), (error) => {
      return error instanceof RequestError && error.retryAfterMs === 3_600_000;
    });
    assert.equal(service.requests.length, 1);
  });

  test("a lost reply to folder.create is found in the tree instead of being repeated", async () => {
    await using service = await FakeService.start();
    service.fault = once("svc.v2.folder.create", { kind: "lost-reply" });
    const folder = await clientOf(service).folders.create("vision");
    assert.equal(folder.folderId, service.folders[0]?.folderId);
    assert.equal(service.sent("svc.v2.folder.create").length, 1);
    assert.equal(service.folders.length, 1);
  });

  test("a folder.create that never arrived is sent again after reading the tree", async () => {
    await using service = await FakeService.start();
    service.fault = once("svc.v2.folder.create", { kind: "lost-request" });
    await clientOf(service).folders.create("vision");
    assert.equal(service.sent("svc.v2.foldertree.read").length, 1);
    assert.equal(service.folders.length, 1);
  });

  test("a lost reply to open: the record is read, and the slug opened again for a token", async () => {
    await using service = await FakeService.start();
    service.fault = once("svc.v2.experiment.open", { kind: "lost-reply" });
    await clientOf(service).openExperiment({ slug: "run", meta: { a: 1 } });
    const events = service.requests.flatMap((r) => r.envelopes.map((e) => e.event.slice(7)));
    assert.deepEqual(events, ["experiment.open", "query.experiment", "experiment.open"]);
    assert.equal(service.experiments.size, 1);
  });

  test("an open whose reply is lost does not overwrite what somebody else opened since", async () => {
    await using service = await FakeService.start();
    service.fault = (request) => {
      const isOpen = request.envelopes[0]?.event === "svc.v2.experiment.open";
      if (service.requests.length === 1 && isOpen) return { kind: "lost-reply" };
      Object.assign(service.only, {
        description: "of somebody else",
        updatedAtMs: Date.now() + 5_000,
      });
      return undefined;
    };
    await assert.rejects(clientOf(service).openExperiment({ slug: "run" }), OutcomeUnknownError);
    assert.equal(service.only.description, "of somebody else");
  });

  test("a write whose outcome stays open is reported as such", async () => {
    await using service = await FakeService.start();
    service.fault = () => ({ kind: "lost-reply" });
    const client = clientOf(service, { retry: { ...retry, retryForMs: 20 } });
    await assert.rejects(client.folders.create("vision"), OutcomeUnknownError);
    assert.equal(service.sent("svc.v2.folder.create").length, 1);
  });

  test("a refused connection certainly did nothing; the alternative address is used then", async () => {
    await using service = await FakeService.start();
    const gone = await FakeService.start();
    const baseUrl = gone.url;
    await gone[Symbol.asyncDispose]();
    const alone = clientOf(service, { baseUrl, retry: { ...retry, retryForMs: 10 } });
    await assert.rejects(alone.folders.create("a"), (error) => {
      return error instanceof ConnectionError && error.notSent;
    });
    const client = clientOf(service, { baseUrl, alternativeBaseUrl: service.url });
    await client.folders.create("a");
    assert.equal(service.sent("svc.v2.folder.create").length, 1);
  });

  test("a reply that takes too long is a connection error", async () => {
    await using service = await FakeService.start();
    const options = { timeoutMs: 20, retry: { ...retry, retryForMs: 0 } };
    const never: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const client = clientOf(service, { ...options, fetch: never });
    await assert.rejects(client.folders.tree(), /no reply from .* within 20 ms/);
  });

  test("bodies are compressed when asked, and not for a service on this machine", async () => {
    await using service = await FakeService.start();
    await clientOf(service, { compression: "always" }).folders.create("a");
    await clientOf(service).openExperiment({ slug: "s", description: "d".repeat(16_000) });
    assert.deepEqual(
      service.requests.map((request) => request.gzip),
      [true, false],
    );
  });

  test("a page of a proxy is not taken for an answer", async () => {
    await using service = await FakeService.start();
    const page = async () => new Response("<html>hello</html>");
    await assert.rejects(clientOf(service, { fetch: page }).folders.tree(), ProtocolError);
    const error = async () => new Response("<html>gone</html>", { status: 404 });
    await assert.rejects(clientOf(service, { fetch: error }).folders.tree(), (thrown) => {
      return thrown instanceof RequestError && thrown.code === "unknown" && thrown.status === 404;
    });
  });

  test("a key that goes over plain http to another machine is told once", async () => {
    const found = async () => Response.json({ data: {} });
    const told = async (baseUrl: string): Promise<string[]> => {
      const notices: string[] = [];
      const onNotice = (notice: string) => notices.push(notice);
      const client = new LosslessClient({ baseUrl, apiKey: "ak_test", fetch: found, onNotice });
      await client.authStatus();
      await client.authStatus();
      return notices;
    };
    assert.deepEqual(await told("http://service.test:7070/x"), [
      "keys go to http://service.test:7070/x unencrypted, and can be read on the way: use https",
    ]);
    for (const own of ["127.0.0.1:1", "localhost", "[::1]:7070", "127.1.2.3"])
      assert.deepEqual(await told(`http://${own}`), []);
    assert.deepEqual(await told("https://service.test"), []);
    assert.equal((await told("http://127.0.0.1.service.test")).length, 1);
  });

  test("addresses that are none are refused at once", () => {
    for (const baseUrl of [
      "",
      "localhost:7070",
      "ftp://host",
      "http://user:pw@host",
      "http://h/?q",
    ]) {
      assert.throws(() => new LosslessClient({ baseUrl, apiKey: "ak_test" }), /not an http/);
    }
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type EndpointName, endpoints, pageEndpoints } from "@lossless/protocol";
import { hashSecret, newSecret } from "../../ground/secrets.ts";
import { Authenticator, requireCredentialEntry } from "./authenticator.ts";
import { type Caller, Credentials } from "./credentials.ts";
import { RateLimit } from "./rate-limit.ts";
import { TestStorage } from "../storage.fixture.ts";

const nowMs = 1_000_000;
const token = newSecret("ik_");
const key = newSecret("ak_");

function storageWith(
  more: { expiresAtMs?: number; lastUsedAtMs?: number | null } = {},
): TestStorage {
  const storage = new TestStorage();
  const { expiresAtMs = nowMs + 1_000, lastUsedAtMs = nowMs } = more;
  storage.credentials.set(token, {
    kind: "experiment_token",
    experimentId: "e",
    organizationId: "o",
    expiresAtMs,
  });
  storage.credentials.set(key, {
    kind: "api_key",
    keyId: "k",
    organization: { id: "o", name: "acme" },
    lastUsedAtMs,
  });
  return storage;
}

const shown = (secret: string, organization?: string) => ({
  kind: kinds[secret.slice(0, 3) as keyof typeof kinds],
  secret,
  organization,
});
const kinds = { ak_: "api_key", ik_: "experiment_token", at_: "oauth", as_: "session" } as const;
const failOnUse = (error: unknown) => assert.fail(String(error));
const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

suite("credentials", () => {
  test("tokens are looked up once when this process alone changes them", async () => {
    const storage = storageWith();
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    for (let turn = 0; turn < 3; turn += 1) {
      const caller = await credentials.find(storage, shown(token), nowMs);
      assert.equal(caller?.kind === "experiment_token" && caller.experimentId, "e");
    }
    assert.equal(storage.reads.length, 1);
  });

  test("on a shared database they are looked up each time, once in a turn", async () => {
    const storage = storageWith();
    const credentials = new Credentials(false, () => nowMs, failOnUse);
    await Promise.all([1, 2, 3].map(() => credentials.find(storage, shown(token), nowMs)));
    assert.equal(storage.reads.length, 1);
    await Promise.all(
      [token, key, token].map((secret) => credentials.find(storage, shown(secret), nowMs)),
    );
    assert.equal(storage.reads.length, 2);
  });

  test("while two look-ups run, others gather, and are judged after they were asked", async () => {
    const storage = storageWith();
    const answers = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const read = storage.read.bind(storage);
    storage.read = async (name, input) => {
      const own = answers[storage.reads.length];
      const found = await read(name, input);
      await own.promise;
      return found;
    };
    const credentials = new Credentials(false, () => nowMs, failOnUse);
    const find = (secret: string) => credentials.find(storage, shown(secret), nowMs);
    const running = [];
    for (const secret of [token, key]) {
      running.push(find(secret));
      await settle();
    }
    const gathered = [find(token), find(key)];
    await settle();
    assert.equal(storage.reads.length, 2);
    // It ends after its request began, and before the look-up does.
    storage.credentials.delete(token);
    answers[0].resolve();
    assert.ok(await running[0]);
    await settle();
    assert.equal(storage.reads.length, 3);
    for (const { resolve } of answers) resolve();
    const kinds = (await Promise.all(gathered)).map((caller) => caller?.kind);
    assert.deepEqual(kinds, [undefined, "api_key"]);
    await Promise.all(running);
  });

  test("one read looks up no more than it may, whatever waits", async () => {
    const storage = storageWith();
    const credentials = new Credentials(false, () => nowMs, failOnUse);
    const secrets = Array.from({ length: 600 }, () => newSecret("ak_"));
    secrets[599] = key;
    const found = await Promise.all(
      secrets.map((secret) => credentials.find(storage, shown(secret), nowMs)),
    );
    const counts = storage.reads.map(
      ({ input }) => (input as { questions: unknown[] }).questions.length,
    );
    assert.deepEqual(counts, [250, 250, 100]);
    assert.deepEqual(
      found.map((caller) => caller?.kind),
      secrets.map((secret) => (secret === key ? "api_key" : undefined)),
    );
  });

  test("a look-up that fails in itself takes none of its turn with it; a refusal is its own", async () => {
    const storage = storageWith();
    const [broken, refused] = [newSecret("ik_"), newSecret("ik_")];
    storage.credentials.set(refused, { kind: "refused", message: "deleted" });
    const read = storage.read.bind(storage);
    storage.read = async (name, input) => {
      const { questions } = input as { questions: { hash: Uint8Array }[] };
      if (questions.some(({ hash }) => Buffer.compare(hash, hashSecret(broken)) === 0))
        throw new Error("planted");
      return read(name, input);
    };
    const credentials = new Credentials(false, () => nowMs, failOnUse);
    const found = await Promise.allSettled(
      [token, broken, refused].map((secret) => credentials.find(storage, shown(secret), nowMs)),
    );
    assert.deepEqual(
      found.map((one) => (one.status === "rejected" ? String(one.reason) : one.value?.kind)),
      ["experiment_token", "Error: planted", "ServiceError: deleted"],
    );
  });

  test("a kept token ends at its expiry, judged by the start of the request", async () => {
    const storage = storageWith();
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    await credentials.find(storage, shown(token), nowMs);
    assert.ok(await credentials.find(storage, shown(token), nowMs + 999));
    assert.equal(await credentials.find(storage, shown(token), nowMs + 1_000), undefined);
  });

  test("forget ends what is kept, and what a running look-up would keep", async () => {
    const storage = storageWith();
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    await credentials.find(storage, shown(token), nowMs);
    storage.credentials.delete(token);
    assert.ok(await credentials.find(storage, shown(token), nowMs));
    credentials.forget("e");
    assert.equal(await credentials.find(storage, shown(token), nowMs), undefined);

    const late = storageWith();
    const answer = Promise.withResolvers<never>();
    const read = late.read.bind(late);
    late.read = async (name, input) => {
      const found = await read(name, input);
      await answer.promise;
      return found;
    };
    const running = credentials.find(late, shown(token), nowMs);
    await settle();
    credentials.forget("e");
    late.credentials.delete(token);
    answer.resolve(undefined as never);
    assert.ok(await running, "it began before the token was ended");
    assert.equal(await credentials.find(late, shown(token), nowMs), undefined, "but was not kept");
  });

  test("forgetting another experiment leaves a kept token", async () => {
    const storage = storageWith();
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    await credentials.find(storage, shown(token), nowMs);
    credentials.forget("other");
    await credentials.find(storage, shown(token), nowMs);
    assert.equal(storage.reads.length, 1);
  });

  test("keys are looked up each time, and their use is written down once a minute", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const storage = storageWith({ lastUsedAtMs: null });
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    for (let turn = 0; turn < 3; turn += 1) await credentials.find(storage, shown(key), nowMs);
    assert.equal(storage.reads.length, 3);
    assert.equal(storage.writes.length, 0);
    t.mock.timers.tick(1_000);
    await settle();
    const [[write]] = storage.writes;
    assert.ok(write.kind === "call" && write.name === "credential.used");
    assert.deepEqual(write.input, { uses: [{ kind: "api_key", id: "k", atMs: nowMs }] });
    const recent = storageWith({ lastUsedAtMs: nowMs - 59_000 });
    await credentials.find(recent, shown(key), nowMs);
    t.mock.timers.tick(1_000);
    assert.equal(recent.writes.length, 0);
  });

  test("a use that is noted while others are written is written next", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const storage = storageWith({ lastUsedAtMs: null });
    const later = newSecret("ak_");
    storage.credentials.set(later, {
      kind: "api_key",
      keyId: "later",
      organization: { id: "o", name: "acme" },
      lastUsedAtMs: null,
    });
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    const written = Promise.withResolvers<void>();
    storage.onWrite = () => written.promise;
    await credentials.find(storage, shown(key), nowMs);
    t.mock.timers.tick(1_000);
    await credentials.find(storage, shown(later), nowMs);
    written.resolve();
    await settle();
    t.mock.timers.tick(1_000);
    await settle();
    const inputs = (storage.writes as { input?: unknown }[][]).map(([write]) => write.input);
    assert.deepEqual(inputs, [
      { uses: [{ kind: "api_key", id: "k", atMs: nowMs }] },
      { uses: [{ kind: "api_key", id: "later", atMs: nowMs }] },
    ]);
  });
});

suite("command-line tokens", () => {
  const access = newSecret("at_");
  const person = { kind: "oauth", personId: "p", email: "ada@acme.test", expiresAtMs: nowMs + 1 };
  const organizationOf = (caller: Caller | undefined) =>
    caller?.kind === "oauth" ? caller.organization?.name : "not a token";

  test("are looked up for the organization that each request names", async () => {
    const storage = storageWith();
    storage.read = async (name, input) => {
      storage.reads.push({ name, input });
      const { questions } = input as { questions: { organization: string | null }[] };
      return questions.map(({ organization }) => ({
        ...person,
        organization: organization && { id: "i", name: organization, role: "member" },
      })) as never;
    };
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    const asked = ["acme", "rival", "acme", undefined];
    const found = await Promise.all(
      asked.map((name) => credentials.find(storage, shown(access, name), nowMs)),
    );
    assert.deepEqual(found.map(organizationOf), asked);
    const [{ input }] = storage.reads;
    assert.equal((input as { questions: unknown[] }).questions.length, 3);
  });
});

suite("authentication", () => {
  test("T02: every endpoint says which credential it takes; open ones are the known few", () => {
    const open = [];
    for (const name of Object.keys(endpoints) as EndpointName[]) {
      requireCredentialEntry(name);
      if (endpoints[name].credentials.length === 0) open.push(name);
    }
    assert.deepEqual(open, [
      ..."openapi healthz readyz createSession acceptInvitation openGuestLink oauthMetadata oauthToken oauthDevice oauthRevoke authorizePage authorize devicePage approveDevice startPage signInPage signIn signOut joinPage join readIssuer readIssuerKeys beginSignOn finishSignOn".split(
        " ",
      ),
      "mlflowGetVersionFile",
      "mlflowVersion",
      "mlflowHealth",
      "mlflowServerInfo",
      ...Object.keys(pageEndpoints),
      "webAsset",
    ]);
  });

  test("failures of one address are limited when configured, good credentials never", async () => {
    const credentials = new Credentials(true, () => nowMs, failOnUse);
    const limited = new Authenticator(credentials, new RateLimit(2, 60_000, () => 0));
    const present = (secret: string, remoteAddress: string) =>
      limited.identify(
        "authStatus",
        {
          secret,
          organization: undefined,
          experimentId: undefined,
          remoteAddress,
          startedAtMs: nowMs,
        },
        storageWith(),
      );
    for (let index = 0; index < 2; index += 1) {
      await assert.rejects(present(newSecret("ak_"), "a"), { code: "unauthorized" });
    }
    await assert.rejects(present(newSecret("ak_"), "a"), { code: "rate_limited" });
    await assert.rejects(present(newSecret("ak_"), "b"), { code: "unauthorized" });
    await present(key, "a");
  });
});

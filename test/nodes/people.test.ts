import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { call, type HttpReply, type JsonObject, ok, parseObject } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { people, Service } from "../service.ts";

function ask(
  node: Service,
  method: string,
  path: string,
  credential?: string,
  body?: unknown,
): Promise<HttpReply> {
  return call(node.baseUrl, { method, path: `/api/v1/${path}`, credential, body });
}

async function signIn(node: Service, person: keyof typeof people): Promise<string> {
  return ok(await ask(node, "POST", "sessions", undefined, people[person]), 201).token as string;
}

test("T16: what one node ends is over on the others at once", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const provider = { name: "x", issuer: "http://127.0.0.1:1", clientId: "x", clientSecret: "x" };
  const signOn = { ...provider, domains: ["acme.test"], defaultRole: "member" };
  const acme = { signOn, trashDays: 5 };
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-nodes-"));
  const masterKey = join(directory.path, "master-key");
  writeFileSync(masterKey, "0123456789abcdef".repeat(4), { mode: 0o600 });
  const flags = ["--master-key-file", masterKey];
  const options = { databaseUrl, people: true, acme, flags };
  // Both apply the provision file to the empty database at the same time.
  const nodes = await Promise.all([1, 2, 3].map(() => Service.start(options)));
  await using _ = new AsyncDisposableStack();
  for (const node of nodes) _.use(node);
  const [first, ...others] = nodes as [Service, ...Service[]];
  const owner = await signIn(first, "ada");
  const log = parseObject((await ask(first, "GET", "audit", owner)).text).events as JsonObject[];
  const set = log.filter(({ action }) => action === "signOn.changed" || action === "trash.set");
  assert.equal(set.length, 2, JSON.stringify(set));

  const statusOn = async (node: Service, credential: string): Promise<number> =>
    (await ask(node, "GET", "people", credential)).status;
  const everywhere = async (credential: string, status: number): Promise<void> => {
    for (const node of nodes) assert.equal(await statusOn(node, credential), status);
  };

  const member = await signIn(others[0], "max");
  await everywhere(member, 200);
  const list = parseObject((await ask(first, "GET", "people", owner)).text).people as JsonObject[];
  const max = list.find(({ email }) => email === people.max.email)!;
  const changed = await ask(first, "PATCH", `people?id=${max.id as string}`, owner, {
    role: "admin",
  });
  assert.equal(changed.status, 200, changed.text);
  for (const node of nodes) {
    const invite = await ask(node, "POST", "invitations", member, { role: "member" });
    assert.equal(invite.status, 201, invite.text);
  }

  const data = { slug: "of-max", description: "", meta: {} };
  const body = { messageId: "one", event: "svc.v2.experiment.open", data };
  const write = (node: Service) =>
    call(node.baseUrl, { path: "/api/v2/events", credential: member, body });
  const become = (role: string) =>
    ask(first, "PATCH", `people?id=${max.id as string}`, owner, { role });
  for (const [role, status] of [
    ["viewer", 401],
    ["member", 200],
  ] as const) {
    assert.equal((await become(role)).status, 200);
    for (const node of nodes) assert.equal((await write(node)).status, status, role);
    await everywhere(member, 200);
  }

  const opened = parseObject((await write(first)).text).data as JsonObject;
  const experimentIds = [opened.experimentId as string];
  const links = (method: string, query = "", link?: JsonObject) =>
    call(first.baseUrl, {
      method,
      path: `/api/guests/v1/links${query}`,
      credential: owner,
      body: link,
    });
  const shared = ok(await links("POST", "", { name: "shared", days: 1, experimentIds }), 201);
  const secret = (shared.address as string).split("#")[1];
  const asGuest = { event: "svc.v2.query.experiment", data: { experimentId: experimentIds[0] } };
  const guestOn = async (node: Service): Promise<number> => {
    const request = { messageId: "guest", ...asGuest };
    const asked = { path: "/api/v2/events", credential: secret, body: request };
    return (await call(node.baseUrl, asked)).status;
  };
  for (const node of nodes) assert.equal(await guestOn(node), 200, "a guest link works everywhere");
  const { id: linkId } = shared.link as { id: string };
  assert.equal((await links("DELETE", `?id=${linkId}`)).status, 204);
  for (const node of nodes) assert.equal(await guestOn(node), 401, "and ends everywhere at once");

  for (let round = 0; round < 3; round++) {
    const made = await ask(first, "POST", "api-keys", owner, { name: "short-lived" });
    const { key, secret } = parseObject(made.text) as { key: JsonObject; secret: string };
    const whoami = (node: Service) => ask(node, "GET", "whoami", secret);
    for (const node of nodes) assert.equal((await whoami(node)).status, 200);
    const path = `api-keys?id=${key.id as string}`;
    assert.equal((await ask(first, "DELETE", path, owner)).status, 204);
    for (const node of others) assert.equal((await whoami(node)).status, 401);
  }

  assert.equal((await become("viewer")).status, 200);
  await everywhere(member, 200);
  const removed = await ask(first, "DELETE", `people?id=${max.id as string}`, owner);
  assert.equal(removed.status, 204, removed.text);
  await everywhere(member, 401);
  const another = await signIn(others[0], "ada");
  await everywhere(another, 200);
  assert.equal((await ask(others[1], "DELETE", "sessions", another)).status, 204);
  await everywhere(another, 401);
});

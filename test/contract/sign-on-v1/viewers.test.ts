import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { EventCaller, event, observed, refused, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";

const refusal = "This needs the role member; yours is viewer, which only reads.";

topic("viewers", (system) => {
  let owner: string;
  let viewer: string;
  /** A token of the role, made before they became a viewer. */
  let token: string;
  let id: string;

  const ask = (
    credential: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<HttpReply> => observed(system, { method, path, credential, body });

  before(async () => {
    owner = await signIn(system, "ada");
    const invited = { role: "viewer", email: `${uniqueName("vi")}@acme.test` };
    const link = ok(await ask(owner, "POST", "/api/v1/invitations", invited), 201).link as string;
    const accepted = {
      token: new URL(link).searchParams.get("token"),
      email: invited.email,
      password: "a long password",
    };
    viewer = ok(await ask(owner, "POST", "/api/v1/invitations/accept", accepted), 201)
      .token as string;
    const list = ok(await ask(viewer, "GET", "/api/v1/people")).people as JsonObject[];
    const self = list.find(({ email }) => email === invited.email)!;
    assert.equal(self.role, "viewer");
    id = self.id as string;
    await become("member");
    const made = { name: "before", scope: "role", days: 1 };
    token = ok(await ask(viewer, "POST", "/api/sign-on/v1/tokens", made), 201).secret as string;
    await become("viewer");
  });

  const become = async (role: string): Promise<void> =>
    void ok(await ask(owner, "PATCH", `/api/v1/people?id=${id}`, { role }));

  test("read what members read", async () => {
    const experiment = await system.acme.open();
    await experiment.send(experiment.metric());
    const { experimentId } = experiment;
    for (const credential of [viewer, token]) {
      const caller = new EventCaller(system, "/api/v2/events", credential);
      const record = await caller.ask("query.experiment", { experimentId });
      assert.equal(record.experimentId, experimentId);
      const body = { query: `id = ${experimentId}`, limit: 1 };
      ok(await ask(credential, "POST", "/api/views/v1/experiments", body));
      ok(await ask(credential, "GET", "/api/trash/v1/entries"));
    }
  });

  test("record nothing, by any client, and are told why", async () => {
    const { experimentId } = await system.acme.open();
    const slug = uniqueName("experiment");
    const opening = event("experiment.open", { slug, description: "", meta: {} });
    const reading = event("query.experiment", { experimentId });
    for (const credential of [viewer, token]) {
      const post = (body: unknown) => ask(credential, "POST", "/api/v2/events", body);
      for (const body of [opening, [reading, opening]]) {
        const { message } = await refused(post(body), 401, "unauthorized");
        assert.equal(message, refusal);
      }
      const body = { experimentId, description: "mine" };
      const edit = ask(credential, "PATCH", "/api/views/v1/experiment", body);
      assert.equal(await refusedV1(edit, 403, "forbidden"), refusal);
    }
    const found = await system.acme.send(event("query.experiment", { experimentSlug: slug }));
    assert.match(JSON.stringify(found), /not_found/);
    const mlflow = new MlflowCaller(system, token);
    assert.deepEqual(await mlflow.refusal("runs/create", { experiment_id: "0" }), [
      403,
      "PERMISSION_DENIED",
      refusal,
    ]);
  });

  test("a role counts from the next request on, in sessions and tokens", async () => {
    const data = { slug: uniqueName("experiment"), description: "", meta: {} };
    const open = (credential: string) =>
      ask(credential, "POST", "/api/v2/events", event("experiment.open", data));
    for (const [role, status] of [
      ["member", 200],
      ["viewer", 401],
      ["admin", 200],
      ["viewer", 401],
    ] as const) {
      await become(role);
      for (const credential of [viewer, token])
        assert.equal((await open(credential)).status, status, role);
    }
  });

  test("their tokens only read", async () => {
    const make = (scope: string) =>
      ask(viewer, "POST", "/api/sign-on/v1/tokens", { name: scope, scope, days: 1 });
    for (const scope of ["write", "role"]) {
      const sentence = await refusedV1(make(scope), 400, "bad_request");
      assert.equal(sentence, "A viewer's token only reads: give it the scope read.");
    }
    const { secret, token: made } = ok<{ secret: string; token: JsonObject }>(
      await make("read"),
      201,
    );
    ok(await ask(secret, "GET", "/api/v1/org"));
    const path = `/api/sign-on/v1/tokens?id=${made.id as string}`;
    assert.equal((await ask(viewer, "DELETE", path)).status, 204);
    await refusedV1(ask(secret, "GET", "/api/v1/org"), 401, "unauthorized");
    const account = { name: uniqueName("board"), role: "viewer" };
    const service = await ask(owner, "POST", "/api/sign-on/v1/service-accounts", account);
    const body = { name: "x", scope: "write", days: 1, account: ok(service, 201).id };
    await refusedV1(ask(owner, "POST", "/api/sign-on/v1/tokens", body), 400, "bad_request");
  });

  test("arrange charts for themselves alone", async () => {
    const path = "/api/views/v1/workspace";
    const save = (credential: string, scope: string) =>
      ask(credential, "PUT", path, { scope, folderId, revision: 0, layout: { pinned: ["loss"] } });
    const { folderId } = await system.acme.ask("folder.create", {
      name: uniqueName("folder"),
      parentFolderId: null,
    });
    const own = ok(await save(viewer, "own"));
    assert.equal(await refusedV1(save(viewer, "shared"), 403, "forbidden"), refusal);
    const shared = ok(await save(owner, "shared"));
    const remove = (id: unknown) => ask(viewer, "DELETE", `${path}?id=${id as string}&revision=1`);
    assert.equal(await refusedV1(remove(shared.id), 403, "forbidden"), refusal);
    assert.equal((await remove(own.id)).status, 204);
  });

  test("keep saved views for themselves alone, and no reports", async () => {
    const path = "/api/views/v1/saved";
    const view = (scope: string) => ({ name: uniqueName("view"), scope, address: "/experiments" });
    const make = (credential: string, scope: string) => ask(credential, "POST", path, view(scope));
    const own = ok(await make(viewer, "own"), 201);
    const change = (what: JsonObject, more: JsonObject) =>
      ask(viewer, "PUT", `${path}?id=${what.id as string}`, { revision: what.revision, ...more });
    const renamed = ok(await change(own, { name: uniqueName("view") }));
    for (const refused of [make(viewer, "shared"), change(renamed, { scope: "shared" })])
      assert.equal(await refusedV1(refused, 403, "forbidden"), refusal);
    const shared = ok(await make(owner, "shared"), 201);
    assert.equal(await refusedV1(change(shared, { name: "x" }), 403, "forbidden"), refusal);
    const remove = (what: JsonObject) =>
      ask(viewer, "DELETE", `${path}?id=${what.id as string}&revision=${String(what.revision)}`);
    assert.equal(await refusedV1(remove(shared), 403, "forbidden"), refusal);
    assert.equal((await remove(renamed)).status, 204);
    const report = { name: uniqueName("report"), scope: "own", blocks: [] };
    const made = ask(viewer, "POST", "/api/views/v1/reports", report);
    assert.equal(await refusedV1(made, 403, "forbidden"), refusal);
  });
});

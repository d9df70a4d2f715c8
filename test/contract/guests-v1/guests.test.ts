import assert from "node:assert/strict";
import { before, test } from "node:test";
import type {
  AuditReply,
  CreateGuestLinkReply,
  GuestLinksReply,
  GuestVisit,
  OverviewReply,
  RunLineage,
} from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { ArtifactCaller, sendParts } from "../artifact-caller.ts";
import { event, EventCaller, observed, refused, uniqueName } from "../callers.ts";
import { refusedV1, signIn, signInBrowser } from "../people.ts";
import { topic } from "../topic.ts";

topic("guest links", (system) => {
  let ada: string;
  let max: string;
  let experimentId: string;

  before(async () => {
    [ada, max] = [await signIn(system, "ada"), await signIn(system, "max")];
    ({ experimentId } = await system.acme.open());
  });

  const ask = (credential: string, method: string, path: string, body?: unknown) =>
    observed(system, { method, path: `/api/guests/v1/${path}`, credential, body });

  async function share(
    credential: string,
    more: JsonObject = {},
  ): Promise<CreateGuestLinkReply & { secret: string }> {
    const body = { name: uniqueName("link"), experimentIds: [experimentId], days: 7, ...more };
    const made = ok<CreateGuestLinkReply>(await ask(credential, "POST", "links", body), 201);
    assert.match(made.address, /\/guest#gl_\w{38}$/);
    return { ...made, secret: made.address.split("#")[1] };
  }

  const list = async (credential: string) =>
    ok<GuestLinksReply>(await ask(credential, "GET", "links"));

  function enter(secret: string, headers: Record<string, string> = {}): Promise<HttpReply> {
    const path = "/api/guests/v1/visit";
    return observed(system, { method: "POST", path, body: { secret }, headers });
  }

  const read = (secret: string, id = experimentId) =>
    new EventCaller(system, "/api/v2/events", secret).post([
      event("query.experiment", { experimentId: id }),
    ]);

  test("a link is shown once, listed without its secret, counted and in the audit log", async () => {
    const { link, secret } = await share(max);
    const before = await ask(ada, "GET", "links");
    assert.ok(!before.text.includes(secret));
    const listed = (await list(ada)).links.find(({ id }) => id === link.id);
    assert.deepEqual(listed, link);
    const { kind, createdBy, uses, lastUsed } = link;
    assert.deepEqual([kind, createdBy, uses, lastUsed], ["experiment", "max@acme.test", 0, null]);
    for (let times = 0; times < 2; times++) ok(await enter(secret));
    const used = (await list(max)).links.find(({ id }) => id === link.id)!;
    assert.equal(used.uses, 2);
    assert.ok(used.lastUsed !== null);
    const path = "/api/v1/audit?limit=100";
    const log = await observed(system, { path, credential: ada });
    const actions = ok<AuditReply>(log).events.filter(({ subject }) => subject === link.id);
    assert.deepEqual(
      actions.map(({ action }) => action),
      ["guestLink.opened", "guestLink.created"],
    );
    assert.ok(!log.text.includes(secret));
  });

  test("its cookie reads what it shows, from our pages alone, and a signed-in person is none", async () => {
    const { secret } = await share(ada);
    const opened = await enter(secret);
    const { csrf, organization, experimentIds } = ok<GuestVisit>(opened);
    assert.deepEqual([organization, experimentIds], ["acme", [experimentId]]);
    const [cookie = ""] = opened.headers["set-cookie"] ?? [];
    assert.match(
      cookie,
      /^lossless_guest[^=]*=gl_\w+; Path=[^;]+; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    );
    const shown = { cookie: cookie.split(";")[0] };
    const post = (headers: Record<string, string>) =>
      observed(system, {
        path: "/api/v2/events",
        headers,
        body: [event("query.experiment", { experimentId })],
      });
    assert.equal((await post({ ...shown, "x-csrf-token": csrf })).status, 200);
    await refused(post(shown), 401, "unauthorized");
    const sessions = observed(system, { path: "/api/v1/sessions", headers: shown });
    await refusedV1(sessions, 401, "unauthorized");
    const foreign = { origin: "https://elsewhere.test", "sec-fetch-site": "cross-site" };
    await refusedV1(enter(secret, foreign), 403, "forbidden");
    const person = await signInBrowser(system, "max");
    const both = { cookie: `${person.cookie}; ${shown.cookie}` };
    const whoami = await observed(system, { path: "/api/v1/whoami", headers: both });
    assert.equal(ok(whoami).credential, "session");
  });

  test("what it does not show, it refuses in words, and no other experiment is reached", async () => {
    const { secret } = await share(ada);
    const other = await system.acme.open();
    const { message } = await refused(read(secret, other.experimentId), 401, "unauthorized");
    assert.equal(message, "This guest link does not show that.");
    const body = { experimentId };
    const consoles = observed(system, {
      path: "/api/console/v1/read",
      credential: secret,
      body,
    });
    await refusedV1(consoles, 403, "forbidden");
    const people = observed(system, { path: "/api/v1/people", credential: secret });
    assert.match(await refusedV1(people, 403, "forbidden"), /guest link/);
    const opening = event("experiment.open", { slug: "x", description: "", meta: {} });
    await refused(
      new EventCaller(system, "/api/v2/events", secret).post(opening),
      401,
      "unauthorized",
    );
  });

  test("revoked by its maker or an admin, it ends at once; a comparison has an order", async () => {
    const { experimentId: second } = await system.acme.open();
    const experimentIds = [second, experimentId];
    const made = await share(max, { experimentIds });
    assert.deepEqual([made.link.kind, made.link.experimentIds], ["comparison", experimentIds]);
    const others = await share(ada);
    await refusedV1(ask(max, "DELETE", `links?id=${others.link.id}`), 403, "forbidden");
    assert.equal((await read(made.secret, second)).status, 200);
    for (const { secret, link } of [made, others]) {
      assert.equal((await ask(ada, "DELETE", `links?id=${link.id}`)).status, 204);
      await refused(read(secret), 401, "unauthorized");
      const sentence = await refusedV1(enter(secret), 401, "unauthorized");
      assert.match(sentence, /does not work/);
      await refusedV1(ask(ada, "DELETE", `links?id=${link.id}`), 404, "not_found");
    }
  });

  test("members make them while the organization lets them; viewers and keys none", async () => {
    const set = (credential: string, membersShare: boolean) =>
      ask(credential, "PUT", "settings", { membersShare });
    await refusedV1(set(max, false), 403, "forbidden");
    ok(await set(ada, false));
    assert.equal((await list(max)).membersShare, false);
    const body = { name: "x", experimentIds: [experimentId], days: 1 };
    const sentence = await refusedV1(ask(max, "POST", "links", body), 403, "forbidden");
    assert.match(sentence, /only admins and owners/);
    await share(ada);
    ok(await set(ada, true));
    await share(max);
    await refusedV1(ask(system.acme.credential, "POST", "links", body), 403, "forbidden");
    for (const wrong of [
      { ...body, days: 91 },
      { ...body, days: 0 },
      { ...body, experimentIds: [] },
      { ...body, reportId: "x" },
      { ...body, isAnonymous: true, showsFiles: true },
      { name: "x", days: 1 },
    ])
      await refusedV1(ask(ada, "POST", "links", wrong), 400, "bad_request");
    const unknown = { ...body, experimentIds: ["unknown"] };
    await refusedV1(ask(ada, "POST", "links", unknown), 404, "not_found");
  });

  test("a deleted experiment is not shown, a restored one again, a purged one ends its link", async () => {
    const gone = await system.acme.open();
    const ids = { experimentIds: [gone.experimentId] };
    const { secret, link } = await share(ada, ids);
    const trash = (path: string, body: unknown) =>
      observed(system, { method: "POST", path: `/api/trash/v1/${path}`, body, credential: ada });
    const { entries } = ok<{ entries: { id: string }[] }>(await trash("experiments", ids));
    assert.match((await read(secret, gone.experimentId)).text, /experiment_not_found/);
    ok(await trash("restore", { ids: [entries[0].id] }));
    assert.doesNotMatch((await read(secret, gone.experimentId)).text, /not_found/);
    const again = ok<{ entries: { id: string }[] }>(await trash("experiments", ids));
    ok(await trash("purge", { ids: [again.entries[0].id] }));
    for (;;) {
      if (!(await list(ada)).links.some(({ id }) => id === link.id)) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await refused(read(secret), 401, "unauthorized");
    const audit = await observed(system, { path: "/api/v1/audit?limit=100", credential: ada });
    const end = ok<AuditReply>(audit).events.find(
      ({ action, subject }) => action === "guestLink.revoked" && subject === link.id,
    );
    assert.equal(end?.actor, "service");
  });

  test("files of a deleted experiment are not shown, whoever wrote the version", async () => {
    const gone = await system.acme.open();
    const experimentIds = [gone.experimentId];
    const artifacts = new ArtifactCaller(system, system.acme.credential);
    const artifact = uniqueName("artifact");
    const { epoch } = await artifacts.open(artifact);
    const files = { f: Buffer.from("bytes") };
    const begun = await artifacts.begin(artifact, "1", epoch, files, { experiment: gone.slug });
    ok(await artifacts.commit(artifact, begun.upload, epoch, await sendParts(begun, files)));
    const { secret } = await share(ada, { experimentIds, showsFiles: true });
    const file = `artifact=${artifact}&version=1&file=f`;
    const get = (path: string) => observed(system, { path, credential: secret });
    assert.equal((await get(`/api/views/v1/file?${file}`)).text, "bytes");
    ok(await get(`/api/v1/versions/read?artifact=${artifact}&version=1`));
    const path = "/api/trash/v1/experiments";
    ok(await observed(system, { method: "POST", path, body: { experimentIds }, credential: ada }));
    for (const one of [`file?${file}`, `file-address?${file}`, `file-frame?${file}`])
      await refusedV1(get(`/api/views/v1/${one}`), 403, "forbidden");
  });

  test("with files they show what their runs used and made, and no other run", async () => {
    const artifact = uniqueName("artifact");
    const artifacts = new ArtifactCaller(system, system.acme.credential);
    const { epoch } = await artifacts.open(artifact);
    await artifacts.write(artifact, "1", epoch, { f: Buffer.from("bytes") });
    const [used, other] = [await system.acme.open(), await system.acme.open()];
    for (const { experimentId } of [used, other]) {
      const body = { experimentId, artifact, version: "1", role: "training" };
      const path = "/api/v1/lineage/uses";
      ok(await observed(system, { method: "POST", path, body, credential: ada }));
    }
    const experimentIds = [used.experimentId];
    const get = ({ secret }: { secret: string }, query: string) =>
      observed(system, { path: `/api/v1/lineage/${query}`, credential: secret });
    const asked = `run?experimentId=${used.experimentId}`;
    const files = await share(ada, { experimentIds, showsFiles: true });
    const { inputs } = ok<RunLineage>(await get(files, asked));
    const shown = inputs.map(({ node: { name, version, bytes }, role }) => {
      return [name, version, bytes, role];
    });
    assert.deepEqual(shown, [[artifact, "1", undefined, "training"]]);
    const refusedTo = (link: { secret: string }, query: string) =>
      refusedV1(get(link, query), 403, "forbidden");
    await refusedTo(files, `run?experimentId=${other.experimentId}`);
    await refusedTo(files, `version?artifact=${artifact}&version=1`);
    await refusedTo(files, `graph?experimentId=${used.experimentId}`);
    await refusedTo(await share(ada, { experimentIds }), asked);
    await refusedTo(await share(ada, { experimentIds, isAnonymous: true }), asked);
  });

  test("large replies are changed for them, too, whatever their client unpacks", async () => {
    const experiment = await system.acme.open();
    const points = Array.from({ length: 1_000 }, (_, step) =>
      experiment.metric({ step, metricValue: Math.sin(step), meta: { host: "machine" } }),
    );
    await experiment.send(...points);
    const { experimentId } = experiment;
    const link = await share(ada, { experimentIds: [experimentId], isAnonymous: true });
    const series = [{ experimentId, seriesName: "loss" }];
    const reply = await observed(system, {
      path: "/api/views/v1/overview",
      credential: link.secret,
      headers: { "accept-encoding": "gzip, deflate, br, zstd" },
      body: { series, xAxis: "step", columns: 1_000 },
    });
    const shown = ok<OverviewReply>(reply).series.map(({ metadata }) => metadata);
    assert.deepEqual([shown, reply.text.length > 16_384], [[{ host: "hidden" }], true]);
  });

  test("a token makes none, which would outlive it", async () => {
    for (const scope of ["write", "role"]) {
      const path = "/api/sign-on/v1/tokens";
      const body = { name: uniqueName("token"), scope, days: 1 };
      const made = await observed(system, { method: "POST", path, body, credential: ada });
      const token = ok(made, 201).secret as string;
      const link = { name: "x", experimentIds: [experimentId], days: 1 };
      const sentence = await refusedV1(ask(token, "POST", "links", link), 403, "forbidden");
      assert.equal(sentence, "A token makes no guest links: sign in to make one.");
    }
  });

  test("a report is shown with what it finds when the link is made, and ends with it", async () => {
    const views = (method: string, path: string, body?: unknown) =>
      observed(system, { method, path: `/api/views/v1/${path}`, body, credential: ada });
    const slug = uniqueName("found");
    const found = await system.acme.open(slug);
    const table = { kind: "table", query: `slug ~ ${slug}*`, columns: "", sort: "", limit: 5 };
    const report = (scope: string) => ({ name: uniqueName("report"), scope, blocks: [table] });
    const own = ok(await views("POST", "reports", report("own")), 201);
    const nothing = { name: "x", days: 1, reportId: own.id };
    await refusedV1(ask(ada, "POST", "links", nothing), 400, "bad_request");
    const made = ok<JsonObject>(await views("POST", "reports", report("shared")), 201);
    const body = { name: "x", days: 1, reportId: made.id };
    const reply = ok<CreateGuestLinkReply>(await ask(ada, "POST", "links", body), 201);
    const { link, address } = reply;
    assert.deepEqual([link.kind, link.experimentIds], ["report", [found.experimentId]]);
    const secret = address.split("#")[1];
    const later = await system.acme.open(`${slug}-later`);
    const shown = (path: string, more: JsonObject = {}) =>
      observed(system, { path: `/api/views/v1/${path}`, credential: secret, ...more });
    ok(await shown(`report?id=${made.id as string}`));
    await refusedV1(shown(`report?id=${own.id as string}`), 403, "forbidden");
    const rows = await shown("experiments", { body: { query: table.query, limit: 5 } });
    assert.ok(rows.text.includes(found.experimentId) && !rows.text.includes(later.experimentId));
    const removed = `report?id=${made.id as string}&revision=${String(made.revision)}`;
    assert.equal((await views("DELETE", removed)).status, 204);
    await refusedV1(shown("experiments", { body: { limit: 5 } }), 401, "unauthorized");
  });

  test("a report that is kept by its author again is shown to nobody", async () => {
    const views = (method: string, path: string, body?: unknown) =>
      observed(system, { method, path: `/api/views/v1/${path}`, body, credential: ada });
    const block = { kind: "chart", experimentIds: [experimentId], seriesName: "loss" };
    const blocks = [{ ...block, title: "", view: "" }];
    const named = { name: uniqueName("report"), scope: "shared", blocks };
    const { id, revision } = ok<JsonObject>(await views("POST", "reports", named), 201);
    const body = { name: "x", days: 1, reportId: id };
    const reply = ok<CreateGuestLinkReply>(await ask(ada, "POST", "links", body), 201);
    const secret = reply.address.split("#")[1];
    ok(await views("PUT", `report?id=${id as string}`, { revision, name: uniqueName("report") }));
    assert.equal((await read(secret)).status, 200);
    const own = { revision: Number(revision) + 1, scope: "own" };
    ok(await views("PUT", `report?id=${id as string}`, own));
    await refused(read(secret), 401, "unauthorized");
  });
});

topic(
  "guesses of guest links",
  (system) => {
    test("are bounded for a network address", async () => {
      const enter = () =>
        observed(system, {
          path: "/api/guests/v1/visit",
          body: { secret: `gl_${"x".repeat(38)}` },
        });
      const statuses = new Set<number>();
      for (let guesses = 0; guesses < 80; guesses++) statuses.add((await enter()).status);
      assert.deepEqual([...statuses].sort(), [401, 429]);
    });
  },
  { alone: true },
);

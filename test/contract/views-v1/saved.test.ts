import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type AuditReply,
  limits,
  type PeopleReply,
  type Report,
  type SavedView,
} from "@lossless/protocol";
import { type HttpReply, type JsonObject, parseObject } from "../../http.ts";
import { people } from "../../service.ts";
import { observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn, signInCommandLine } from "../people.ts";
import { topic } from "../topic.ts";

topic("saved views and reports", (system) => {
  let [ada, max, bo, rita] = ["", "", "", ""];
  before(async () => {
    [ada, max, rita] = await Promise.all(
      (["ada", "max", "rita"] as const).map((name) => signIn(system, name)),
    );
    bo = await signIn(system, "bo", "acme");
  });

  const ask = (credential: string, method: string, path: string, body?: unknown) =>
    observed(system, { method, path: `/api/views/v1/${path}`, credential, body });

  async function asked<Reply>(reply: Promise<HttpReply>, status: number): Promise<Reply> {
    const { status: got, text } = await reply;
    assert.equal(got, status, text.slice(0, 500));
    return parseObject<Reply>(text);
  }

  const save = (credential: string, body: Partial<SavedView>) =>
    asked<SavedView>(
      ask(credential, "POST", "saved", {
        name: uniqueName("view"),
        scope: "own",
        address: "/experiments?q=status+%3D+running",
        ...body,
      }),
      201,
    );

  const report = (credential: string, body: Partial<Report>) =>
    asked<Report>(
      ask(credential, "POST", "reports", {
        name: uniqueName("report"),
        scope: "own",
        blocks: [{ kind: "text", markdown: "# One\n" }],
        ...body,
      }),
      201,
    );

  const change = (credential: string, { id, revision }: SavedView, body: Partial<SavedView>) =>
    ask(credential, "PUT", `saved?id=${id}`, { revision, ...body });

  async function names(credential: string, list: "saved" | "reports"): Promise<string[]> {
    const reply = await asked<Record<string, { name: string }[]>>(
      ask(credential, "GET", list),
      200,
    );
    return reply[list === "saved" ? "views" : "reports"].map(({ name }) => name);
  }

  test("a view is a name for an address, and says what the table shows there", async () => {
    const address =
      "/experiments?folder=f1&q=meta.lr+%3E+0.1&sort=metric.loss.min+desc%2C+slug&cols=meta.lr%2C+points&by=meta.opt";
    const made = await save(max, { address });
    assert.equal(made.createdBy, people.max.email);
    assert.deepEqual([made.revision, made.address, made.changedBy], [1, address, made.createdBy]);
    assert.deepEqual(made.table, {
      query: "meta.lr > 0.1",
      folderId: "f1",
      sort: [
        { field: "metric.loss.min", descending: true },
        { field: "slug", descending: false },
      ],
      columns: ["meta.lr", "points"],
    });
    const found = await asked<{ views: SavedView[] }>(ask(max, "GET", "saved"), 200);
    assert.deepEqual(
      found.views.find(({ id }) => id === made.id),
      made,
    );
    assert.equal((await save(max, { address: "/compare?e=1,2" })).table, null);
    const unread = await save(max, { address: "/experiments?cols=%22" });
    assert.deepEqual(unread.table, { query: "", folderId: null, sort: [], columns: [] });
  });

  test("one's own is seen by nobody else, what is shared by every member and key", async () => {
    const [own, shared] = [await save(max, {}), await save(max, { scope: "shared" })];
    const ownReport = await report(max, {});
    const sharedReport = await report(max, { scope: "shared" });
    assert.ok((await names(max, "saved")).includes(own.name));
    for (const other of [ada, bo, system.acme.credential]) {
      const seen = await names(other, "saved");
      assert.ok(seen.includes(shared.name) && !seen.includes(own.name));
      const reports = await names(other, "reports");
      assert.ok(reports.includes(sharedReport.name) && !reports.includes(ownReport.name));
      await refusedV1(ask(other, "GET", `report?id=${ownReport.id}`), 404, "not_found");
      const read = ask(other, "GET", `report?id=${sharedReport.id}`);
      assert.deepEqual(await asked(read, 200), sharedReport);
    }
    for (const path of [`saved?id=${own.id}`, `report?id=${ownReport.id}`]) {
      await refusedV1(ask(ada, "PUT", path, { revision: 1 }), 404, "not_found");
      await refusedV1(ask(ada, "DELETE", `${path}&revision=1`), 404, "not_found");
    }
  });

  test("another organization has neither, whoever asks", async () => {
    const shared = await save(max, { scope: "shared" });
    const theirs = await report(max, { scope: "shared" });
    for (const other of [rita, system.rival.credential]) {
      assert.ok(!(await names(other, "saved")).includes(shared.name));
      assert.ok(!(await names(other, "reports")).includes(theirs.name));
      await refusedV1(ask(other, "GET", `report?id=${theirs.id}`), 404, "not_found");
    }
    for (const path of [`saved?id=${shared.id}`, `report?id=${theirs.id}`]) {
      await refusedV1(ask(rita, "PUT", path, { revision: 1 }), 404, "not_found");
      await refusedV1(ask(rita, "DELETE", `${path}&revision=1`), 404, "not_found");
    }
    // Bo is in both, and acts for one of them at a time.
    const own = await save(bo, {});
    const elsewhere = await signIn(system, "bo", "rival");
    assert.ok(!(await names(elsewhere, "saved")).includes(own.name));
  });

  test("a key reads and writes nothing, a sign-in of the command line does both", async () => {
    const body = { name: uniqueName("view"), scope: "shared", address: "/experiments" };
    const { credential } = system.acme;
    assert.match(
      await refusedV1(ask(credential, "POST", "saved", body), 403, "forbidden"),
      /needs a signed-in person, not an API key/,
    );
    const cli = await signInCommandLine(system, "max", "acme");
    const reply = await observed(system, {
      path: "/api/views/v1/saved",
      credential: cli,
      body,
      headers: { "x-svc-organization": "acme" },
    });
    assert.equal(reply.status, 201, reply.text);
  });

  test("what somebody else has changed stays, and the refusal says what stands there", async () => {
    const made = await save(max, { scope: "shared" });
    const address = "/experiments?q=lr";
    const changed = await asked<SavedView>(change(ada, made, { address }), 200);
    assert.deepEqual([changed.revision, changed.name, changed.address], [2, made.name, address]);
    assert.deepEqual([changed.createdBy, changed.changedBy], [people.max.email, people.ada.email]);
    const { revision, name, changedAtMs, changedBy } = changed;
    for (const late of [
      change(max, made, { address: "/experiments" }),
      ask(max, "DELETE", `saved?id=${made.id}&revision=1`),
    ]) {
      const reply = await late;
      assert.equal(reply.status, 409, reply.text);
      const { present, ...rest } = parseObject(reply.text);
      assert.deepEqual(present, { revision, name, changedAtMs, changedBy });
      assert.equal(rest.error, "conflict");
    }
    const theirs = await report(max, { scope: "shared" });
    const blocks = [{ kind: "text", markdown: "two" }];
    const path = `report?id=${theirs.id}`;
    await asked(ask(ada, "PUT", path, { revision: 1, blocks }), 200);
    await refusedConflict(ask(max, "PUT", path, { revision: 1, name: "late" }));
    const read = await asked<Report>(ask(max, "GET", path), 200);
    assert.deepEqual([read.blocks, read.revision, read.name], [blocks, 2, theirs.name]);
  });

  async function refusedConflict(reply: Promise<HttpReply>): Promise<void> {
    const { status, text } = await reply;
    assert.equal(status, 409, text);
    assert.ok("present" in parseObject(text), text);
  }

  test("a name is taken once for each", async () => {
    const name = uniqueName("name");
    const own = await save(max, { name });
    await save(max, { name, scope: "shared" });
    await save(ada, { name });
    await report(max, { name });
    const twice = { name, scope: "shared", address: "/experiments" };
    await refusedV1(ask(ada, "POST", "saved", twice), 409, "conflict");
    const other = await save(max, {});
    await refusedV1(change(max, other, { name }), 409, "conflict");
    await refusedV1(change(max, own, { scope: "shared" }), 409, "conflict");
    assert.equal((await asked<SavedView>(change(max, own, { name }), 200)).revision, 2);
  });

  test("who made what is shared takes it back or deletes it, and so do admins", async () => {
    let shared = await save(ada, { scope: "shared" });
    await refusedV1(ask(max, "DELETE", `saved?id=${shared.id}&revision=1`), 403, "forbidden");
    await refusedV1(change(max, shared, { scope: "own" }), 403, "forbidden");
    await refusedV1(change(bo, shared, { scope: "own" }), 403, "forbidden");
    shared = await asked<SavedView>(change(max, shared, { name: uniqueName("renamed") }), 200);
    shared = await asked<SavedView>(change(ada, shared, { scope: "own" }), 200);
    assert.ok(!(await names(bo, "saved")).includes(shared.name));
    shared = await asked<SavedView>(change(ada, shared, { scope: "shared" }), 200);
    const gone = await ask(bo, "DELETE", `saved?id=${shared.id}&revision=${shared.revision}`);
    assert.equal(gone.status, 204, gone.text);
    assert.ok(!(await names(ada, "saved")).includes(shared.name));
  });

  test("who leaves takes their own along, and what they shared stays", async () => {
    const invited = parseObject(
      (await invite(ada, { role: "member", email: "leaver@acme.test" })).text,
    );
    const token = new URL(invited.link as string).searchParams.get("token");
    const joined = await observed(system, {
      path: "/api/v1/invitations/accept",
      body: { token, email: "leaver@acme.test", password: "a long password" },
    });
    const leaver = parseObject(joined.text).token as string;
    await save(leaver, {});
    const shared = await save(leaver, { scope: "shared" });
    const sharedReport = await report(leaver, { scope: "shared" });
    const all = await observed(system, { path: "/api/v1/people", credential: ada });
    const { id } = parseObject<PeopleReply>(all.text).people.find(
      ({ email }) => email === "leaver@acme.test",
    )!;
    const removal = { method: "DELETE", path: `/api/v1/people?id=${id}`, credential: ada };
    assert.equal((await observed(system, removal)).status, 204);
    const seen = await asked<{ views: SavedView[] }>(ask(max, "GET", "saved"), 200);
    const kept = seen.views.find((view) => view.id === shared.id);
    assert.equal(kept?.createdBy, "leaver@acme.test");
    assert.ok((await names(max, "reports")).includes(sharedReport.name));
    // Nobody but an admin can delete them now.
    await refusedV1(ask(max, "DELETE", `saved?id=${shared.id}&revision=1`), 403, "forbidden");
    assert.equal((await ask(ada, "DELETE", `saved?id=${shared.id}&revision=1`)).status, 204);
  });

  function invite(credential: string, body: JsonObject): Promise<HttpReply> {
    return observed(system, { path: "/api/v1/invitations", credential, body });
  }

  test("the audit log has what is shared, and nothing of one's own", async () => {
    const own = await save(max, {});
    const shared = await save(max, { scope: "shared" });
    await asked(change(ada, shared, { address: "/experiments" }), 200);
    await ask(max, "DELETE", `saved?id=${shared.id}&revision=2`);
    const theirs = await report(max, { scope: "shared" });
    const reply = await observed(system, { path: "/api/v1/audit", credential: ada });
    const { events } = parseObject<AuditReply>(reply.text);
    const of = (id: string) =>
      events.filter(({ subject }) => subject === id).map(({ action }) => action);
    assert.deepEqual(of(shared.id), ["view.deleted", "view.changed", "view.created"]);
    assert.deepEqual(of(theirs.id), ["report.created"]);
    assert.deepEqual(of(own.id), []);
  });

  test("what is no address, no name, no block or too much is refused", async () => {
    const good = { name: "x", scope: "own", address: "/experiments" };
    for (const address of [
      "experiments",
      "//evil.test/",
      "/\\evil.test",
      "https://evil.test/",
      "/a#b",
      "/a b",
    ])
      await refusedV1(ask(max, "POST", "saved", { ...good, address }), 400, "bad_request");
    const long = `/a${"b".repeat(limits.savedAddressCharactersMax)}`;
    await refusedV1(ask(max, "POST", "saved", { ...good, address: long }), 400, "bad_request");
    for (const name of ["", " ", "a\u0000b"])
      await refusedV1(ask(max, "POST", "saved", { ...good, name }), 400, "bad_request");
    const made = { name: "x", scope: "own" };
    const chart = { kind: "chart", seriesName: "loss", title: "", view: "" };
    const markdown = "x".repeat(limits.reportTextCharactersMax);
    for (const blocks of [
      [{ kind: "html", markdown: "" }],
      [chart],
      [{ ...chart, experimentIds: [], query: "" }],
      Array.from({ length: 5 }, () => ({ kind: "text", markdown })),
      Array.from({ length: limits.reportBlocksMax + 1 }, () => ({ kind: "text", markdown: "" })),
    ])
      await refusedV1(ask(max, "POST", "reports", { ...made, blocks }), 400, "bad_request");
  });

  test("a person keeps so many, and no more", async () => {
    const before = (await names(bo, "reports")).length;
    assert.ok(before < limits.savedPerPersonMax);
    const mine = async () => {
      const list = await asked<{ reports: { scope: string }[] }>(ask(bo, "GET", "reports"), 200);
      return list.reports.filter((one) => one.scope === "own").length;
    };
    for (let left = limits.savedPerPersonMax - (await mine()); left > 0; left--)
      await report(bo, { blocks: [] });
    const more = { name: uniqueName("report"), scope: "own", blocks: [] };
    assert.match(await refusedV1(ask(bo, "POST", "reports", more), 409, "conflict"), /at most 100/);
    assert.equal(await mine(), limits.savedPerPersonMax);
  });
});

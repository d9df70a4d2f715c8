import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type AuditReply,
  limits,
  type PeopleReply,
  type SaveWorkspaceBody,
  type Workspace,
  type WorkspacesReply,
  type WorkspaceVersionsReply,
} from "@lossless/protocol";
import { type HttpReply, parseObject } from "../../http.ts";
import { people } from "../../service.ts";
import { observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";

topic("workspaces of charts", (system) => {
  let [ada, max, bo, rita] = ["", "", "", ""];
  before(async () => {
    [ada, max, rita] = await Promise.all(
      (["ada", "max", "rita"] as const).map((name) => signIn(system, name)),
    );
    bo = await signIn(system, "bo", "acme");
  });

  const ask = (credential: string, method: string, path: string, body?: unknown) =>
    observed(system, { method, path: `/api/views/v1/${path}`, credential, body });

  async function asked<Reply>(reply: Promise<HttpReply>, status = 200): Promise<Reply> {
    const { status: got, text } = await reply;
    assert.equal(got, status, text.slice(0, 500));
    return parseObject<Reply>(text);
  }

  const save = (credential: string, body: Partial<SaveWorkspaceBody>) =>
    ask(credential, "PUT", "workspace", { scope: "own", revision: 0, layout: {}, ...body });
  const saved = (credential: string, body: Partial<SaveWorkspaceBody>) =>
    asked<Workspace>(save(credential, body));

  async function folder(parentFolderId: string | null = null): Promise<string> {
    const made = await system.acme.ask("folder.create", { name: uniqueName("f"), parentFolderId });
    return String(made.folderId);
  }

  async function applying(credential: string, folderId: string): Promise<Workspace[]> {
    const path = `workspace?folderId=${folderId}`;
    return (await asked<WorkspacesReply>(ask(credential, "GET", path))).workspaces;
  }

  const pins = (found: readonly Workspace[]) => found.flatMap(({ layout }) => layout.pinned ?? []);

  test("a layout is read back as it was saved, with who saved it", async () => {
    const folderId = await folder();
    const layout = {
      pinned: ["val/loss"],
      hidden: ["system/*"],
      order: ["b", "a"],
      sections: [{ name: "Losses", patterns: ["*/loss"], isClosed: false }, { name: "train" }],
      charts: [
        { key: "both", lines: ["train/loss", "val/loss"], title: "Both", view: "y=log&r=1~9" },
        { key: "a", section: "Losses", columns: 2, height: 400 },
      ],
      columns: 3,
      height: 300,
    };
    const made = await saved(max, { folderId, layout });
    assert.deepEqual(made.layout, layout);
    assert.deepEqual([made.scope, made.folderId, made.revision], ["own", folderId, 1]);
    assert.deepEqual([made.createdBy, made.changedBy], [people.max.email, people.max.email]);
    assert.deepEqual((await applying(max, folderId))[0], made);
    const { workspaces } = await asked<WorkspacesReply>(ask(max, "GET", "workspaces"));
    assert.deepEqual(
      workspaces.find(({ id }) => id === made.id),
      made,
    );
  });

  test("the narrowest comes first: one's own, then a folder's, then everybody's", async () => {
    const outer = await folder();
    const inner = await folder(outer);
    const beside = await folder();
    // Those of all folders are shared with other tests of this service, so they are written over.
    const everywhere = async (scope: "own" | "shared", pin: string) => {
      const { workspaces } = await asked<WorkspacesReply>(ask(max, "GET", "workspace"));
      const revision = workspaces.find((one) => one.scope === scope)?.revision ?? 0;
      await saved(max, { scope, revision, layout: { pinned: [pin] } });
    };
    await everywhere("shared", "all");
    await saved(max, { scope: "shared", folderId: outer, layout: { pinned: ["outer"] } });
    await saved(ada, { folderId: outer, layout: { pinned: ["ada's"] } });
    assert.deepEqual(pins(await applying(bo, inner)), ["outer", "all"]);
    assert.deepEqual(pins(await applying(ada, inner)), ["ada's", "outer", "all"]);
    await saved(max, { scope: "shared", folderId: inner, layout: { pinned: ["inner"] } });
    assert.deepEqual(pins(await applying(bo, inner)), ["inner", "all"]);
    assert.deepEqual(pins(await applying(bo, outer)), ["outer", "all"]);
    assert.deepEqual(pins(await applying(bo, beside)), ["all"]);
    await everywhere("own", "mine");
    assert.deepEqual(pins(await applying(max, inner)), ["mine", "inner", "all"]);
    assert.deepEqual(pins(await applying(system.acme.credential, inner)), ["inner", "all"]);
  });

  test("what somebody else has changed stays, and the refusal says who", async () => {
    const folderId = await folder();
    const place = { scope: "shared", folderId } as const;
    const made = await saved(max, { ...place, layout: { pinned: ["a"] } });
    const refused = async (reply: Promise<HttpReply>) => {
      const { status, text } = await reply;
      assert.equal(status, 409, text);
      return parseObject<{ present?: { changedBy: string; revision: number } }>(text);
    };
    // Two who saw none.
    assert.equal((await refused(save(ada, place))).present?.changedBy, people.max.email);
    const changed = await saved(ada, { ...place, revision: 1, layout: { pinned: ["b"] } });
    assert.deepEqual([changed.id, changed.revision], [made.id, 2]);
    assert.deepEqual([changed.createdBy, changed.changedBy], [people.max.email, people.ada.email]);
    const { present } = await refused(save(max, { ...place, revision: 1 }));
    assert.deepEqual([present?.revision, present?.changedBy], [2, people.ada.email]);
    await refused(ask(max, "DELETE", `workspace?id=${made.id}&revision=1`));
    assert.equal((await ask(max, "DELETE", `workspace?id=${made.id}&revision=2`)).status, 204);
    const late = await refused(save(ada, { ...place, revision: 2 }));
    assert.equal(late.present, undefined);
    assert.equal((await saved(ada, place)).revision, 1);
  });

  test("earlier versions are kept, the newest twenty, and go with the workspace", async () => {
    const folderId = await folder();
    const count = limits.workspaceVersionsMax + 2;
    let made: Workspace | undefined;
    for (let revision = 0; revision < count; revision++)
      made = await saved(max, { folderId, revision, layout: { pinned: [`${revision + 1}`] } });
    const path = `workspace/versions?id=${made!.id}`;
    const { versions } = await asked<WorkspaceVersionsReply>(ask(max, "GET", path));
    assert.deepEqual(
      versions.map(({ revision, layout }) => [`${revision}`, layout.pinned]),
      Array.from({ length: limits.workspaceVersionsMax }, (_, at) => [
        `${count - at}`,
        [`${count - at}`],
      ]),
    );
    assert.ok(versions.every(({ changedBy }) => changedBy === people.max.email));
    await refusedV1(ask(ada, "GET", path), 404, "not_found");
    const gone = await ask(max, "DELETE", `workspace?id=${made!.id}&revision=${count}`);
    assert.equal(gone.status, 204, gone.text);
    await refusedV1(ask(max, "GET", path), 404, "not_found");
  });

  test("own ones are nobody else's, shared ones are deleted by their author or an admin", async () => {
    const folderId = await folder();
    const own = await saved(max, { folderId });
    const shared = await saved(max, { scope: "shared", folderId });
    await refusedV1(ask(ada, "DELETE", `workspace?id=${own.id}&revision=1`), 404, "not_found");
    const { workspaces } = await asked<WorkspacesReply>(ask(ada, "GET", "workspaces"));
    assert.ok(workspaces.some(({ id }) => id === shared.id));
    assert.ok(!workspaces.some(({ id }) => id === own.id));
    const theirs = await folder();
    const adas = await saved(ada, { scope: "shared", folderId: theirs });
    const path = `workspace?id=${adas.id}&revision=1`;
    await refusedV1(ask(max, "DELETE", path), 403, "forbidden");
    assert.equal((await ask(bo, "DELETE", path)).status, 204);
  });

  test("keys write none, and another organization has none of them", async () => {
    const folderId = await folder();
    const shared = await saved(max, { scope: "shared", folderId });
    await refusedV1(save(system.acme.credential, { folderId }), 403, "forbidden");
    for (const other of [rita, system.rival.credential]) {
      await refusedV1(ask(other, "GET", `workspace?folderId=${folderId}`), 404, "not_found");
      const versions = ask(other, "GET", `workspace/versions?id=${shared.id}`);
      await refusedV1(versions, 404, "not_found");
    }
    await refusedV1(save(rita, { folderId }), 404, "not_found");
    await refusedV1(ask(rita, "DELETE", `workspace?id=${shared.id}&revision=1`), 404, "not_found");
  });

  test("a folder that is deleted takes its workspaces along", async () => {
    const folderId = await folder();
    const own = await saved(max, { folderId });
    await saved(max, { folderId, revision: 1 });
    const shared = await saved(max, { scope: "shared", folderId });
    await system.acme.ask("folder.delete", { folderId });
    const { workspaces } = await asked<WorkspacesReply>(ask(max, "GET", "workspaces"));
    assert.ok(!workspaces.some(({ id }) => id === own.id || id === shared.id));
    await refusedV1(ask(max, "GET", `workspace/versions?id=${own.id}`), 404, "not_found");
  });

  test("a member who leaves takes their own along, and what they shared stays", async () => {
    const email = `${uniqueName("leaver").replaceAll(/[^a-z0-9]/gi, "-")}@acme.test`;
    const invited = await asked<{ link: string }>(
      observed(system, {
        path: "/api/v1/invitations",
        credential: ada,
        body: { role: "member", email },
      }),
      201,
    );
    const token = new URL(invited.link).searchParams.get("token");
    const joined = await observed(system, {
      path: "/api/v1/invitations/accept",
      body: { token, email, password: "a long password" },
    });
    const leaver = parseObject(joined.text).token as string;
    const folderId = await folder();
    const own = await saved(leaver, { folderId });
    const shared = await saved(leaver, { scope: "shared", folderId });
    const all = await observed(system, { path: "/api/v1/people", credential: ada });
    const { id } = parseObject<PeopleReply>(all.text).people.find((one) => one.email === email)!;
    const removal = { method: "DELETE", path: `/api/v1/people?id=${id}`, credential: ada };
    assert.equal((await observed(system, removal)).status, 204);
    const kept = (await applying(max, folderId)).filter((one) => one.folderId !== null);
    assert.deepEqual(
      kept.map((one) => [one.id, one.createdBy]),
      [[shared.id, email]],
    );
    assert.notEqual(own.id, shared.id);
  });

  test("the audit log has shared ones only", async () => {
    const folderId = await folder();
    const own = await saved(max, { folderId });
    const shared = await saved(max, { scope: "shared", folderId });
    await saved(ada, { scope: "shared", folderId, revision: 1 });
    await ask(max, "DELETE", `workspace?id=${shared.id}&revision=2`);
    const reply = await observed(system, { path: "/api/v1/audit", credential: ada });
    const { events } = parseObject<AuditReply>(reply.text);
    const of = (id: string) =>
      events.filter(({ subject }) => subject === id).map(({ action }) => action);
    assert.deepEqual(of(shared.id), [
      "workspace.deleted",
      "workspace.changed",
      "workspace.created",
    ]);
    assert.deepEqual(of(own.id), []);
  });

  test("a layout that is too long, or has what no layout has, is refused", async () => {
    const folderId = await folder();
    const long = "x".repeat(900);
    for (const layout of [
      { pinned: Array.from({ length: 50 }, (_, at) => `${at}${long}`) },
      { pinned: Array.from({ length: limits.layoutNamesMax + 1 }, (_, at) => `${at}`) },
      { pinned: [""] },
      { columns: 0 },
      { height: 5 },
      { charts: [{ lines: ["a"] }] },
      { charts: [{ key: "a", lines: [] }] },
      { sections: [{ patterns: ["a"] }] },
      { colour: "red" },
    ])
      await refusedV1(save(max, { folderId, layout } as never), 400, "bad_request");
    assert.ok((await applying(max, folderId)).every((one) => one.folderId === null));
  });
});

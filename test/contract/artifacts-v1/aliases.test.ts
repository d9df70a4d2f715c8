import assert from "node:assert/strict";
import { before, test } from "node:test";
import type {
  AliasHistory,
  AliasList,
  ArtifactReply,
  AuditReply,
  SetAliasReply,
  VersionAlias,
} from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { type HttpReply, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails, type Query } from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { askTrash, entriesOf } from "../trash-v1/trash-calls.ts";
import { Writer } from "../writer.ts";

topic("aliases of versions", (system) => {
  let acme: ArtifactCaller;
  let ada: ArtifactCaller;
  before(async () => {
    acme = new ArtifactCaller(system, organizations.acme.key);
    ada = new ArtifactCaller(system, await signIn(system, "ada"));
  });

  const written = async (...versions: string[]): Promise<string> => {
    const writer = await Writer.open(acme);
    for (const version of versions) await writer.write(version);
    return writer.artifact;
  };
  const set = (artifact: string, alias: string, body: object, as = acme): Promise<HttpReply> =>
    as.request("artifacts/alias", { artifact, alias }, { method: "PUT", body });
  const moved = async (...words: Parameters<typeof set>): Promise<SetAliasReply> =>
    ok<SetAliasReply>(await set(...words), 200);
  const remove = (query: Query): Promise<HttpReply> =>
    acme.request("artifacts/alias", query, { method: "DELETE" });
  const listed = async (artifact: string): Promise<VersionAlias[]> =>
    ok<AliasList>(await acme.request("artifacts/aliases", { artifact }), 200).aliases;
  const changes = async (artifact: string, more: Query = {}): Promise<AliasHistory> =>
    ok<AliasHistory>(await acme.request("artifacts/alias-history", { artifact, ...more }), 200);
  const steps = async (artifact: string, more: Query = {}) =>
    (await changes(artifact, more)).changes.map(({ number, alias, previous, version }) => [
      number,
      alias,
      previous,
      version,
    ]);
  const deleted = (artifact: string, ...versions: string[]) =>
    entriesOf(askTrash(system, "versions", { body: { artifact, versions } }));

  test("an alias is set, read wherever a version is named, moved and removed, with its history", async () => {
    const artifact = await written("1", "2", "3");
    const first = await moved(artifact, "best", { version: "1" });
    assert.deepEqual(
      [first.alias.version, first.alias.state, first.previous],
      ["1", "present", null],
    );
    assert.equal((await acme.read(artifact, "@best")).version, "1");
    const second = await moved(artifact, "best", { version: "2" }, ada);
    assert.deepEqual([second.alias.version, second.previous], ["2", "1"]);
    assert.equal(second.alias.changedBy, "ada@acme.test");
    assert.equal((await acme.read(artifact, "@best", { urls: "1" })).version, "2");
    await moved(artifact, "first", { version: "1" });
    // Another alias and latest are what they are now.
    assert.equal((await moved(artifact, "kept", { version: "@first" })).alias.version, "1");
    assert.equal((await moved(artifact, "newest", { version: "latest" })).alias.version, "3");
    assert.equal((await acme.read(artifact, "@latest")).version, "3");
    assert.deepEqual(
      (await listed(artifact)).map(({ alias, version }) => [alias, version]),
      [
        ["best", "2"],
        ["first", "1"],
        ["kept", "1"],
        ["newest", "3"],
      ],
    );
    const view = "/api/views/v1/artifact";
    const path = `${view}?artifact=${artifact}&version=@best`;
    const page = ok<ArtifactReply>(
      await observed(system, { path, credential: organizations.acme.key }),
      200,
    );
    assert.deepEqual(
      [page.versions.map(({ version }) => version), page.aliases],
      [["2"], await listed(artifact)],
    );
    assert.equal((await remove({ artifact, alias: "first" })).status, 204);
    await fails(remove({ artifact, alias: "first" }), 404, "not_found");
    const said = await fails(
      acme.request("versions/read", { artifact, version: "@first" }),
      404,
      "not_found",
    );
    assert.equal(said, "The artifact has no alias first.");
    assert.equal((await acme.read(artifact, "1")).version, "1");
    assert.deepEqual(await steps(artifact), [
      [6, "first", "1", null],
      [5, "newest", null, "3"],
      [4, "kept", null, "1"],
      [3, "first", null, "1"],
      [2, "best", "1", "2"],
      [1, "best", null, "1"],
    ]);
    assert.deepEqual(await steps(artifact, { alias: "best" }), [
      [2, "best", "1", "2"],
      [1, "best", null, "1"],
    ]);
    assert.deepEqual(await steps(artifact, { before: "3" }), [
      [2, "best", "1", "2"],
      [1, "best", null, "1"],
    ]);
    const [{ by, atMs }] = (await changes(artifact, { before: "3" })).changes;
    assert.equal(by, "ada@acme.test");
    assert.equal(atMs, second.alias.changedAtMs);
    const audit = ok<AuditReply>(await ada.request("audit", { limit: "100" }), 200).events;
    const told = audit.filter(({ details }) => details["artifact"] === artifact);
    assert.deepEqual(
      told.filter(({ action }) => action.startsWith("alias.")).map(({ action }) => action),
      ["alias.removed", "alias.set", "alias.set", "alias.set", "alias.moved", "alias.set"],
    );
  });

  test("a condition: only from the version expected, or only if it is new", async () => {
    const artifact = await written("1", "2", "3");
    await fails(set(artifact, "best", { version: "1", expected: "2" }), 409, "conflict");
    await moved(artifact, "best", { version: "1", expected: null });
    const said = await fails(
      set(artifact, "best", { version: "2", expected: null }),
      409,
      "conflict",
    );
    assert.equal(said, "The alias best points to version 1: it was moved since it was read.");
    await moved(artifact, "best", { version: "2", expected: "1" });
    // The reply may have been lost: the same request again is no conflict and no change.
    const again = await moved(artifact, "best", { version: "2", expected: "1" });
    assert.deepEqual([again.alias.version, again.previous], ["2", "2"]);
    await fails(remove({ artifact, alias: "best", expected: "1" }), 409, "conflict");
    assert.equal((await remove({ artifact, alias: "best", expected: "2" })).status, 204);
    assert.deepEqual(await steps(artifact), [
      [3, "best", "2", null],
      [2, "best", "1", "2"],
      [1, "best", null, "1"],
    ]);
  });

  test("of a hundred who move it from one version at once, one succeeds; the history is exact", async () => {
    const versions = Array.from({ length: 20 }, (_, at) => String(at + 10));
    const artifact = await written("1", ...versions);
    await moved(artifact, "best", { version: "1" });
    const replies = await Promise.all(
      versions.map((version) => set(artifact, "best", { version, expected: "1" })),
    );
    const won = versions.filter((_, at) => replies[at].status === 200);
    assert.equal(won.length, 1);
    for (const reply of replies) if (reply.status !== 200) await fails(reply, 409, "conflict");
    assert.equal((await acme.read(artifact, "@best")).version, won[0]);
    assert.deepEqual(await steps(artifact), [
      [2, "best", "1", won[0]],
      [1, "best", null, "1"],
    ]);
  });

  test("when its version is in the trash or deleted the alias says so, and means no other", async () => {
    const artifact = await written("1", "2");
    await moved(artifact, "best", { version: "2" });
    await moved(artifact, "kept", { version: "1" });
    const [entry] = await deleted(artifact, "2");
    const states = async () => (await listed(artifact)).map(({ alias, state }) => [alias, state]);
    const read = () =>
      fails(acme.request("versions/read", { artifact, version: "@best" }), 404, "not_found");
    assert.deepEqual(await states(), [
      ["best", "trashed"],
      ["kept", "present"],
    ]);
    assert.equal(
      await read(),
      "The alias best points to version 2, which is in the trash. Restore it, or move the alias.",
    );
    await fails(set(artifact, "other", { version: "2" }), 404, "not_found");
    await fails(set(artifact, "other", { version: "@best" }), 404, "not_found");
    await entriesOf(askTrash(system, "restore", { body: { ids: [entry.id] } }));
    assert.equal((await acme.read(artifact, "@best")).version, "2");
    const [again] = await deleted(artifact, "2");
    const credential = await signIn(system, "ada");
    await entriesOf(askTrash(system, "purge", { body: { ids: [again.id] }, credential }));
    assert.equal(
      await read(),
      "The alias best points to version 2, which was deleted. Move the alias.",
    );
    assert.deepEqual((await states())[0], ["best", "deleted"]);
    assert.deepEqual(
      (await moved(artifact, "best", { version: "1", expected: "2" })).previous,
      "2",
    );
  });

  test("names that mean something else, unknown versions and strangers are refused", async () => {
    const artifact = await written("1");
    for (const alias of [
      "latest",
      "Latest",
      "v3",
      "V10",
      "@best",
      "a b",
      "a/b",
      "",
      "x".repeat(129),
    ])
      await fails(set(artifact, alias, { version: "1" }), 400, "bad_request");
    for (const alias of ["v3.1", "vest", "a", "A.b_c-9", "x".repeat(128)])
      await moved(artifact, alias, { version: "1" });
    await fails(set(artifact, "best", { version: "2" }), 404, "not_found");
    await fails(set(artifact, "best", { version: "@none" }), 404, "not_found");
    await fails(set(artifact, "best", { version: "1", after: "2" }), 400, "bad_request");
    await fails(set(uniqueName("none"), "best", { version: "1" }), 404, "not_found");
    const rival = new ArtifactCaller(system, organizations.rival.key);
    await fails(set(artifact, "a", { version: "1" }, rival), 404, "not_found");
    assert.deepEqual(ok(await rival.request("artifacts/aliases", { artifact }), 200), {
      aliases: [],
    });
    assert.deepEqual(ok(await rival.request("artifacts/alias-history", { artifact }), 200), {
      changes: [],
      next: null,
    });
  });

  test("an artifact has a limited number of aliases, and pages of history", async () => {
    const artifact = await written("1", "2");
    const most = limits.aliasChangesPerPageMax;
    for (let at = 0; at <= most; at++)
      await moved(artifact, "turn", { version: String((at % 2) + 1) });
    const page = await changes(artifact);
    assert.deepEqual([page.changes.length, page.next], [most, "2"]);
    assert.deepEqual(await steps(artifact, { before: "2" }), [[1, "turn", null, "1"]]);
  });
});

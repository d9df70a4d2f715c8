import assert from "node:assert/strict";
import { before, test } from "node:test";
import { limits, type AddedPicture, type Report } from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { MovableClock } from "../../movable-clock.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { pngFile } from "../../web/png-file.ts";
import { observed, type Target, uniqueName } from "../callers.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic } from "../topic.ts";

const png = onePixel(0);
const gif = Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1");
const webp = Buffer.from(
  "524946461a000000574542505650384c0d0000002f00000010071011118888fe0700",
  "hex",
);
const jpeg = Buffer.from(
  "ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100",
  "hex",
);
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

topic("pictures of reports", (system) => {
  let [ada, max, rita, viewer] = ["", "", "", ""];
  before(async () => {
    [ada, max, rita] = await Promise.all(
      (["ada", "max", "rita"] as const).map((name) => signIn(system, name)),
    );
    viewer = await invited("viewer");
  });

  const calls = pictureCalls(system);
  const { add, read, report, change } = calls;

  /** Somebody new, with a role. */
  async function invited(role: string): Promise<string> {
    const as = (path: string, body: JsonObject, credential?: string) =>
      observed(system, { method: "POST", path: `/api/v1/${path}`, body, credential });
    const email = `${uniqueName("who")}@acme.test`;
    const { link } = ok(await as("invitations", { role, email }, ada), 201);
    const token = new URL(link as string).searchParams.get("token");
    const accepted = { token, email, password: "a long password" };
    return ok(await as("invitations/accept", accepted, ada), 201).token as string;
  }

  test("bytes of each type come back as they were, as nothing that a browser runs", async () => {
    const { id } = await report(max, { scope: "shared" });
    const kinds = { "image/png": png, "image/gif": gif, "image/webp": webp, "image/jpeg": jpeg };
    for (const [type, bytes] of Object.entries(kinds)) {
      // The word of the sender does not count.
      const made = ok<AddedPicture>(
        await add(max, id, bytes, { "content-type": "text/html" }),
        201,
      );
      assert.deepEqual([made.type, made.width, made.height], [type, 1, 1]);
      assert.match(made.picture, /^[0-9a-f]{32}$/);
      const again = ok<AddedPicture>(await add(max, id, bytes), 201);
      assert.deepEqual(again, made);
      for (const reader of [max, ada, viewer, system.acme.credential]) {
        const got = await read(reader, id, made.picture);
        assert.equal(got.status, 200, got.text);
        assert.ok(bytes.equals(got.bytes));
        assert.equal(got.headers["content-type"], type);
        assert.equal(got.headers["x-content-type-options"], "nosniff");
        assert.equal(got.headers["content-security-policy"], "sandbox; default-src 'none'");
        assert.match(String(got.headers["content-disposition"]), /^attachment; /);
        assert.equal(got.headers["cache-control"], "no-store");
      }
    }
  });

  test("other bytes, and more of them, are refused, and change nothing", async () => {
    const { id } = await report(max, {});
    const type = { "content-type": "image/png" };
    const many = Buffer.concat([png, Buffer.alloc(limits.reportPictureBytesMax)]);
    const wide = Buffer.from(png);
    wide.writeUInt32BE(1_000_000, 16);
    wide.writeUInt32BE(1_000_000, 20);
    const others = [svg, Buffer.from("<html><script>"), png.subarray(0, 12), Buffer.alloc(0)];
    for (const bytes of [...others, Buffer.from("\x89PNG"), many, wide])
      await refusedV1(add(max, id, bytes, type), 400, "bad_request");
    const encoded = { ...type, "content-encoding": "gzip" };
    await refusedV1(add(max, id, png, encoded), 415, "bad_request");
    for (const picture of ["0".repeat(32), "x"])
      assert.ok([400, 404].includes((await read(max, id, picture)).status));
  });

  test("they are for whoever reads the report: not for others, and not elsewhere", async () => {
    const [own, shared] = [await report(max, {}), await report(max, { scope: "shared" })];
    const { picture } = ok<AddedPicture>(await add(max, own.id, png), 201);
    ok(await add(max, shared.id, gif), 201);
    for (const reader of [ada, viewer, rita, system.acme.credential, system.rival.credential])
      await refusedV1(read(reader, own.id, picture), 404, "not_found");
    // It is the other report's.
    await refusedV1(read(max, shared.id, picture), 404, "not_found");
    await refusedV1(read(rita, shared.id, picture), 404, "not_found");
    await refusedV1(add(rita, shared.id, png), 404, "not_found");
    await refusedV1(add(ada, own.id, png), 404, "not_found");
    await refusedV1(add(viewer, shared.id, png), 403, "forbidden");
    await refusedV1(add(system.acme.credential, shared.id, png), 403, "forbidden");
    ok(await add(ada, shared.id, png), 201);
  });

  test("guests of the report read them, and guests of another one do not", async () => {
    const [one, other] = [
      await report(ada, { scope: "shared" }),
      await report(ada, { scope: "shared" }),
    ];
    const { picture } = ok<AddedPicture>(await add(ada, one.id, png), 201);
    const named = ok<Report>(await change(ada, one, { blocks: naming(picture) }));
    const { picture: unnamed } = ok<AddedPicture>(await add(ada, one.id, gif), 201);
    const guest = async ({ id: reportId }: Report, isAnonymous: boolean) => {
      const body = { name: "x", days: 1, reportId, isAnonymous };
      const path = "/api/guests/v1/links";
      const made = ok(await observed(system, { path, body, credential: ada }), 201);
      return (made.address as string).split("#")[1];
    };
    for (const isAnonymous of [false, true]) {
      const seen = await guest(one, isAnonymous);
      assert.ok(png.equals((await read(seen, one.id, picture)).bytes));
      // No text shows it.
      await refusedV1(read(seen, one.id, unnamed), 403, "forbidden");
      const elsewhere = await guest(other, isAnonymous);
      await refusedV1(read(elsewhere, one.id, picture), 403, "forbidden");
      await refusedV1(read(elsewhere, other.id, picture), 403, "forbidden");
      await refusedV1(add(seen, one.id, gif), 403, "forbidden");
    }
    const made = await change(ada, named, { scope: "own" });
    assert.equal(made.status, 200, made.text);
    const late = await guest(other, false);
    await refusedV1(read(late, one.id, picture), 403, "forbidden");
  });

  test("a text that is copied into another report brings its pictures", async () => {
    const from = await report(max, {});
    const { picture } = ok<AddedPicture>(await add(max, from.id, png), 201);
    const blocks = naming(picture);
    const to = await report(max, { blocks, scope: "shared" });
    assert.ok(png.equals((await read(ada, to.id, picture)).bytes));
    // Whoever does not see the first report only knows the name.
    const secret = ok<AddedPicture>(await add(max, from.id, onePixel(7)), 201);
    const guessed = await report(ada, { blocks: naming(secret.picture) });
    await refusedV1(read(ada, guessed.id, secret.picture), 404, "not_found");
    const theirs = await report(rita, { blocks });
    await refusedV1(read(rita, theirs.id, picture), 404, "not_found");
  });

  test("a deleted report takes its pictures along", async () => {
    const { id } = await report(max, { scope: "shared" });
    const { picture } = ok<AddedPicture>(await add(max, id, png), 201);
    const path = `/api/views/v1/report?id=${id}&revision=1`;
    assert.equal((await observed(system, { method: "DELETE", path, credential: max })).status, 204);
    await refusedV1(read(max, id, picture), 404, "not_found");
    await refusedV1(add(max, id, png), 404, "not_found");
  });

  test("a report has a number of them, and so has a text that is copied", async () => {
    const { id } = await report(max, {});
    const added: AddedPicture[] = [];
    for (let at = 0; at < limits.reportPicturesMax; at++)
      added.push(ok<AddedPicture>(await add(max, id, onePixel(at)), 201));
    await refusedV1(add(max, id, gif), 409, "conflict");
    ok(await add(max, id, onePixel(1)), 201);
    const blocks = added.flatMap(({ picture }) => naming(picture)).slice(0, 60);
    const markdown = added.map(({ picture }) => `![words](picture:${picture})`).join("\n");
    const to = await report(max, { blocks });
    ok(await add(max, to.id, gif), 201);
    const all = [{ kind: "text" as const, markdown }];
    await refusedV1(change(max, to, { blocks: all }), 409, "conflict");
    assert.equal((await read(max, to.id, added[60].picture)).status, 404);
    assert.equal((await read(max, to.id, added[59].picture)).status, 200);
  });
});

for (const backend of ["sqlite", "postgres"] as const) {
  const clock = new MovableClock(suiteDirectory("report-pictures"));
  /** Signs in again, some weeks later. */
  const later = (system: Target, weeks: number) => {
    clock.aheadMs += weeks * weekMs;
    return signIn(system, "max");
  };
  topic(
    "pictures that no text names",
    (system) => {
      test("stay for a week, and those that one names stay", async () => {
        const { add, read, report, change } = pictureCalls(system);
        let max = await later(system, 0);
        let made = await report(max, {});
        const [kept, dropped] = await Promise.all(
          [0, 1].map(async (at) => ok<AddedPicture>(await add(max, made.id, onePixel(at)), 201)),
        );
        const save = async (blocks: Report["blocks"]) =>
          (made = ok<Report>(await change(max, made, { blocks })));
        const stored = async () =>
          Promise.all(
            [kept, dropped].map(async ({ picture }) => (await read(max, made.id, picture)).status),
          );
        await save([...naming(kept.picture), ...naming(dropped.picture)]);
        max = await later(system, 3);
        await save(naming(kept.picture));
        assert.deepEqual(await stored(), [200, 200], "it can be named again");
        await save([...naming(kept.picture), ...naming(dropped.picture)]);
        max = await later(system, 3);
        await save(naming(kept.picture));
        max = await later(system, 2);
        await save(naming(kept.picture));
        assert.deepEqual(await stored(), [200, 404]);
        // A draft that stays open over a weekend names one that nobody has saved yet.
        const { picture: drafted } = ok<AddedPicture>(await add(max, made.id, onePixel(5)), 201);
        max = await later(system, 3 / 7);
        ok(await add(max, made.id, onePixel(6)), 201);
        assert.equal((await read(max, made.id, drafted)).status, 200);
        // One that a draft has put there and never named goes with the next one.
        const { picture } = ok<AddedPicture>(await add(max, made.id, onePixel(2)), 201);
        max = await later(system, 2);
        ok(await add(max, made.id, onePixel(3)), 201);
        assert.equal((await read(max, made.id, picture)).status, 404);
      });

      test("are not those that a text named before they came, nor those sent once more", async () => {
        const { add, read, report } = pictureCalls(system);
        let max = await later(system, 0);
        const names: string[] = [];
        const scratch = await report(max, {});
        for (const at of [10, 11])
          names.push(ok<AddedPicture>(await add(max, scratch.id, onePixel(at)), 201).picture);
        const deleted = `/api/views/v1/report?id=${scratch.id}&revision=1`;
        await observed(system, { method: "DELETE", path: deleted, credential: max });
        // As an import does, and with a line feed before a name.
        const markdown = `![one](picture:${names[0]}) ![two](\npicture:${names[1]})`;
        const { id } = await report(max, { blocks: [{ kind: "text", markdown }] });
        for (const at of [10, 11, 12]) ok(await add(max, id, onePixel(at)), 201);
        max = await later(system, 2);
        const again = ok<AddedPicture>(await add(max, id, onePixel(12)), 201);
        ok(await add(max, id, onePixel(13)), 201);
        for (const picture of [...names, again.picture])
          assert.equal((await read(max, id, picture)).status, 200);
      });
    },
    { ...clock.service, backends: [backend] },
  );
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;

function naming(picture: string): Report["blocks"] {
  return [{ kind: "text", markdown: `![words](picture:${picture})` }];
}

/** A picture that is not equal to one of another number. */
function onePixel(number: number): Buffer {
  const rows = Buffer.from([0, number & 255, number >> 8, 0]);
  return pngFile({ width: 1, height: 1, kind: 2, rows });
}

function pictureCalls(system: Target) {
  const path = "/api/views/v1/report-picture";
  return {
    add: (
      credential: string,
      id: string,
      body: Buffer,
      headers: Record<string, string> = {},
    ): Promise<HttpReply> =>
      observed(system, { method: "POST", path: `${path}?id=${id}`, credential, body, headers }),
    read: (credential: string, id: string, picture: string): Promise<HttpReply> =>
      observed(system, { path: `${path}?id=${id}&picture=${picture}`, credential }),
    async report(credential: string, part: Partial<Report>): Promise<Report> {
      const body = { name: uniqueName("report"), scope: "own", blocks: [], ...part };
      const asked = { path: "/api/views/v1/reports", body, credential };
      return ok<Report>(await observed(system, asked), 201);
    },
    change: (
      credential: string,
      { id, revision }: Report,
      part: Partial<Report>,
    ): Promise<HttpReply> =>
      observed(system, {
        method: "PUT",
        path: `/api/views/v1/report?id=${id}`,
        body: { revision, ...part },
        credential,
      }),
  };
}

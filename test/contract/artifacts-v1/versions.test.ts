import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { UsageRow } from "@lossless/protocol";
import { organizations } from "../../service.ts";
import {
  address,
  ArtifactCaller,
  fails,
  fetchBytes,
  ok,
  place,
  sendPart,
  sendParts,
  sizes,
} from "../artifact-caller.ts";
import type { Files } from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { RawConnection } from "../raw-request.ts";
import { topic } from "../topic.ts";

const small: Files = { "model.bin": Buffer.from("weights") };

topic("versions of artifacts", (system) => {
  let acme: ArtifactCaller;
  let rival: ArtifactCaller;
  before(() => {
    acme = new ArtifactCaller(system, organizations.acme.key);
    rival = new ArtifactCaller(system, organizations.rival.key);
  });

  test("a version of large, empty and oddly named files comes back byte for byte", async () => {
    const artifact = `runs/ü ${uniqueName("a%2f+&")}`;
    const files: Files = {
      "large.bin": Buffer.alloc(17 * 1_048_576 + 3, "abcdefg"),
      empty: Buffer.alloc(0),
      "dir/日本 語+%.txt": Buffer.from("text"),
    };
    const meta = { step: 7, nested: { "": [null, "\u{1f600}", 0.1] } };
    assert.deepEqual(await acme.open(artifact), { epoch: 1, version: null, source: null });
    const upload = await acme.begin(artifact, "000000000007", 1, files, meta);
    assert.deepEqual(
      upload.files.map(({ name, size, partSize, parts }) => [name, size, partSize, parts.length]),
      [
        ["large.bin", 17 * 1_048_576 + 3, 8 * 1_048_576, 3],
        ["empty", 0, 8 * 1_048_576, 1],
        ["dir/日本 語+%.txt", 4, 8 * 1_048_576, 1],
      ],
    );
    assert.deepEqual([upload.placement.match, upload.warning], [null, null]);
    await fails(acme.request("versions/read", { artifact, version: "latest" }), 404, "not_found");
    const sent = await sendParts(upload, files);
    const done = ok<object>(await acme.commit(artifact, upload.upload, 1, sent.toReversed()), 200);
    const record = await acme.read(artifact, "latest", { urls: "1" });
    const { files: found, expires, location, ...rest } = record;
    assert.deepEqual(rest, {
      artifact,
      version: "000000000007",
      committed: rest.committed,
      transfer: "unknown",
      bytes: 17 * 1_048_576 + 7,
      meta,
      source: "test",
    });
    assert.deepEqual(done, { version: "000000000007", committed: rest.committed });
    assert.deepEqual(location, upload.placement.location);
    assert.ok(Math.abs(Date.parse(expires!) - Date.now() - 3_600_000) < 60_000);
    for (const { name, url } of found) {
      assert.ok(files[name]!.equals(await fetchBytes(url)), name);
    }
    const unsigned = await acme.read(artifact);
    assert.equal(unsigned.expires, null);
    assert.deepEqual(
      unsigned.files,
      found.map((file) => ({ ...file, url: null })),
    );
    assert.deepEqual(unsigned, await acme.read(artifact, "000000000007", { urls: "0" }));
  });

  test("the place of a reader decides transfer, and signed reads are counted", async () => {
    const artifact = uniqueName("usage");
    await acme.open(artifact);
    await acme.write(artifact, "1", 1, small);
    const { location } = await acme.read(artifact);
    const { cloud, region } = location;
    const transferOf = async (query: Record<string, string>) =>
      (await acme.read(artifact, "1", { urls: "1", ...query })).transfer;
    assert.equal(await transferOf({ cloud, region }), "local");
    assert.equal(await transferOf({ cloud, region: "x" }), "cross-region");
    assert.equal(await transferOf({ cloud: "x", region }), "cross-cloud");
    assert.equal(await transferOf({ region }), "unknown");
    const reader = uniqueName("cloud");
    for (const urls of ["1", "1", "0"]) await acme.read(artifact, "1", { urls, cloud: reader });
    const { rows } = ok<{ rows: UsageRow[] }>(await acme.request("usage", {}), 200);
    assert.deepEqual(
      rows.filter(({ placeCloud }) => placeCloud === reader),
      [
        {
          day: new Date().toISOString().slice(0, 10),
          kind: "read",
          placeCloud: reader,
          placeRegion: "",
          location: location.id,
          match: null,
          transfer: "cross-cloud",
          bytes: 14,
          count: 2,
        },
      ],
    );
  });

  test("open: latest, new and fork; a failed one changes no epoch", async () => {
    const [artifact, fork] = [uniqueName("open"), uniqueName("fork")];
    const open = (body: object) => acme.post("artifacts/open", { artifact }, { place, ...body });
    await fails(open({ mode: "latest" }), 404, "not_found");
    await fails(open({ mode: "fork", source: fork }), 404, "not_found");
    await fails(open({ mode: "fork" }), 400, "bad_request");
    await fails(open({ mode: "new", source: fork }), 400, "bad_request");
    await fails(open({ mode: "other" }), 400, "bad_request");
    await acme.open(artifact);
    await acme.write(artifact, "1", 1, small);
    await fails(open({ mode: "new" }), 409, "not_empty");
    await fails(open({ mode: "fork", source: artifact }), 409, "not_empty");
    const opened = await acme.open(artifact, "latest");
    assert.equal(opened.epoch, 2);
    assert.equal(opened.version?.version, "1");
    assert.ok((await fetchBytes(opened.version!.files[0]!.url)).equals(Buffer.from("weights")));
    const forked = await acme.open(fork, "fork", artifact);
    assert.deepEqual([forked.epoch, forked.source], [1, artifact]);
    assert.equal(forked.version?.artifact, artifact);
    await fails(
      rival.post("artifacts/open", { artifact: fork }, { mode: "fork", place, source: artifact }),
      404,
      "not_found",
    );
    assert.equal((await rival.open(artifact)).epoch, 1);
  });

  test("a writer that was taken over hears superseded and the epoch, whatever it asks", async () => {
    const artifact = uniqueName("fenced");
    await fails(
      acme.post(
        "versions/begin",
        { artifact, version: "1" },
        { epoch: 1, place, files: sizes(small), meta: {} },
      ),
      409,
      "superseded",
      0,
    );
    const { epoch } = await acme.open(artifact);
    const upload = await acme.begin(artifact, "1", epoch, small);
    const sent = await sendParts(upload, small);
    await acme.open(artifact);
    const { upload: id } = upload;
    const body = { epoch, place, files: sizes(small), meta: {} };
    const stale = [
      acme.post("versions/begin", { artifact, version: "1" }, body),
      acme.post("versions/resign", { artifact, upload: id }, { epoch }),
      acme.commit(artifact, id, epoch, sent),
      acme.commit(artifact, id, 0, sent),
      acme.commit(artifact, id, 99, sent),
    ];
    for (const reply of stale) await fails(reply, 409, "superseded", 2);
    // The bytes of its address go nowhere any more.
    const late = await sendPart(upload.files[0]!.parts[0]!, small["model.bin"]!);
    assert.equal(late.status, 403);
    for (const wrong of ["1", 1.5, -1, null]) {
      const reply = acme.post("versions/resign", { artifact, upload: id }, { epoch: wrong });
      await fails(reply, 400, "bad_request");
    }
    await acme.write(artifact, "1", 2, small);
    await fails(acme.commit(artifact, id, epoch, sent), 409, "superseded", 2);
    await fails(
      acme.post("versions/begin", { artifact, version: "0" }, body),
      409,
      "superseded",
      2,
    );
  });

  test("versions only go up, bytewise, and the message says which the latest is", async () => {
    const artifact = uniqueName("order");
    await acme.open(artifact);
    const begin = (version: string) =>
      acme.post(
        "versions/begin",
        { artifact, version },
        { epoch: 1, place, files: sizes(small), meta: {} },
      );
    const [early, late] = [
      await acme.begin(artifact, "v2", 1, small),
      await acme.begin(artifact, "v9", 1, small),
    ];
    const sentEarly = await sendParts(early, small);
    const reply = await acme.commit(artifact, late.upload, 1, await sendParts(late, small));
    assert.equal(reply.status, 200);
    await fails(acme.commit(artifact, early.upload, 1, sentEarly), 409, "not_after_latest");
    for (const version of ["v9", "v10", "V99", "u"]) {
      const message = await fails(begin(version), 409, "not_after_latest");
      assert.match(message, /the latest, v9.*zero-pad/);
    }
    for (const version of ["latest", "", "v/1", "v".repeat(129), ".v", "v 1", "ü", undefined]) {
      const body = { epoch: 1, place, files: sizes(small), meta: {} };
      await fails(acme.post("versions/begin", { artifact, version }, body), 400, "bad_request");
    }
  });

  test("an upload belongs to its artifact and its organization", async () => {
    const [artifact, other] = [uniqueName("mine"), uniqueName("other")];
    for (const each of [artifact, other]) await acme.open(each);
    await rival.open(artifact);
    const upload = await acme.begin(artifact, "1", 1, small);
    const sent = await sendParts(upload, small);
    const { upload: id } = upload;
    for (const [caller, path, name] of [
      [acme, other, id],
      [rival, artifact, id],
      [acme, artifact, "nothing"],
    ] as const) {
      await fails(caller.commit(path, name, 1, sent), 404, "not_found");
      const resign = caller.post("versions/resign", { artifact: path, upload: name }, { epoch: 1 });
      await fails(resign, 404, "not_found");
    }
    await fails(rival.request("versions/read", { artifact, version: "latest" }), 404, "not_found");
    assert.equal((await acme.commit(artifact, id, 1, sent)).status, 200);
    assert.deepEqual(await rival.list(artifact), { versions: [], next: null });
    await fails(rival.request("versions/read", { artifact, version: "1" }), 404, "not_found");
  });

  test("what does not fit is refused with 400, and the upload can still be committed", async () => {
    const artifact = uniqueName("mismatch");
    const files: Files = { "a.bin": Buffer.alloc(8 * 1_048_576 + 1, 1), b: Buffer.from("b") };
    await acme.open(artifact);
    const upload = await acme.begin(artifact, "1", 1, files);
    const { upload: id } = upload;
    const [first] = upload.files[0]!.parts;
    await sendPart(first!, files["a.bin"]!.subarray(0, 8 * 1_048_576));
    const half = [
      { name: "a.bin", etags: ["", ""] },
      { name: "b", etags: [""] },
    ];
    await fails(acme.commit(artifact, id, 1, half), 400, "bad_request");
    const [a, b] = await sendParts(upload, files);
    const wrong = [
      [a],
      [a, b, b],
      [a, { ...b!, name: "c" }],
      [{ ...a!, etags: a!.etags.toReversed() }, b],
      [{ ...a!, etags: [...a!.etags, a!.etags[0]!] }, b],
      [a, { ...b!, etags: ['"0123456789abcdef0123456789abcdef"'] }],
    ];
    for (const one of wrong) {
      await fails(acme.commit(artifact, id, 1, one as typeof half), 400, "bad_request");
    }
    await fails(
      acme.post("versions/commit", { artifact, upload: id }, { epoch: 1 }),
      400,
      "bad_request",
    );
    const done = await acme.commit(artifact, id, 1, [a!, b!]);
    assert.equal(done.status, 200);
    // Repeated after a lost reply, by a client that was taken over since.
    await acme.open(artifact, "latest");
    assert.equal((await acme.commit(artifact, id, 1, [a!, b!])).text, done.text);
    const resign = acme.post("versions/resign", { artifact, upload: id }, { epoch: 2 });
    await fails(resign, 409, "conflict");
    const last = await sendPart(first!, files["a.bin"]!.subarray(0, 8 * 1_048_576));
    assert.equal(last.status, 403);
    const record = await acme.read(artifact, "1", { urls: "1" });
    assert.ok((await fetchBytes(record.files[0]!.url)).equals(Buffer.from(files["a.bin"]!)));
  });

  test("resign gives new addresses for the same upload and parts", async () => {
    const artifact = uniqueName("resign");
    await acme.open(artifact);
    const upload = await acme.begin(artifact, "1", 1, small);
    const reply = await acme.post(
      "versions/resign",
      { artifact, upload: upload.upload },
      { epoch: 1 },
    );
    const again = ok<typeof upload>(reply, 200);
    assert.deepEqual(Object.keys(again).sort(), Object.keys(upload).sort());
    assert.deepEqual(
      [again.upload, again.placement, again.files.map(({ parts }) => parts.length)],
      [upload.upload, upload.placement, upload.files.map(({ parts }) => parts.length)],
    );
    const sent = await sendParts(again, small);
    assert.equal((await acme.commit(artifact, upload.upload, 1, sent)).status, 200);
  });

  test("names that could leave the version's place are refused, and so is what is too much", async () => {
    const artifact = uniqueName("names");
    await acme.open(artifact);
    const begin = (files: unknown, more: object = {}) =>
      acme.post(
        "versions/begin",
        { artifact, version: "1" },
        { epoch: 1, place, files, meta: {}, ...more },
      );
    const wrongPaths = [
      "../x",
      "/etc/passwd",
      "a//b",
      "a/./b",
      "a\\..\\b",
      "C:\\x",
      "a/",
      "..",
      "",
    ];
    const wrongCharacters = ["a\u0000b", "a\u007f", "\ud800"];
    const reserved = ["_manifest.json", ".lossless-probe-1"];
    const tooLong = ["x".repeat(256), `${"x/".repeat(512)}y`];
    const names = [wrongPaths, wrongCharacters, reserved, tooLong].flat();
    for (const name of names) await fails(begin([{ name, size: 1 }]), 400, "bad_request");
    const sizesRefused = [-1, 1.5, "1", 5 * 1_024 ** 4 + 1, null];
    for (const size of sizesRefused) await fails(begin([{ name: "a", size }]), 400, "bad_request");
    await fails(begin([]), 400, "bad_request");
    await fails(
      begin([
        { name: "a", size: 1 },
        { name: "a", size: 1 },
      ]),
      400,
      "bad_request",
    );
    const many = Array.from({ length: 5_001 }, (_, at) => ({ name: `${at}`, size: 0 }));
    await fails(begin(many), 400, "bad_request");
    const huge = Array.from({ length: 11 }, (_, at) => ({ name: `${at}`, size: 5 * 1_024 ** 4 }));
    await fails(begin(huge), 400, "bad_request");
    const one = [{ name: "a", size: 1 }];
    await fails(begin(one, { meta: { text: "x".repeat(65_536) } }), 400, "bad_request");
    await fails(begin(one, { meta: [] }), 400, "bad_request");
    await fails(begin(one, { excluded: [] }), 400, "bad_request");
    await fails(begin(one, { place: { ...place, cloud: "x".repeat(129) } }), 400, "bad_request");
    assert.equal((await begin(one, { exclude: ["unknown"] })).status, 201);
    for (const path of ["../x", "/a", "a/", "a//b", "a/./b", "x".repeat(1_025), ""]) {
      const reply = acme.post("artifacts/open", { artifact: path }, { mode: "new", place });
      await fails(reply, 400, "bad_request");
    }
    await fails(acme.post("artifacts/open", {}, { mode: "new", place }), 400, "bad_request");
  });

  test("excluding every location that could take the write is not_ready", async () => {
    const artifact = uniqueName("excluded");
    await acme.open(artifact);
    const { placement } = await acme.begin(artifact, "1", 1, small);
    const body = {
      epoch: 1,
      place,
      files: sizes(small),
      meta: {},
      exclude: [placement.location.id],
    };
    await fails(acme.post("versions/begin", { artifact, version: "1" }, body), 409, "not_ready");
  });

  test("queries are decoded once; malformed and repeated ones are refused, unknown ones ignored", async () => {
    const artifact = uniqueName("q%2e%2e/x +");
    await acme.open(artifact);
    await acme.write(artifact, "1", 1, small);
    const encoded = encodeURIComponent(artifact);
    const read = (query: string) =>
      observed(system, {
        path: `/api/v1/versions/read?${query}`,
        credential: organizations.acme.key,
      });
    const status = async (query: string) => (await read(query)).status;
    assert.equal(await status(`artifact=${encoded}&version=1&unknown=1`), 200);
    assert.equal(await status(`artifact=${encoded.replaceAll("%20", "+")}&version=1`), 200);
    assert.equal(await status(`artifact=${encodeURIComponent(encoded)}&version=1`), 404);
    for (const query of [
      `artifact=${encoded}`,
      `version=1`,
      `artifact=${encoded}&artifact=${encoded}&version=1`,
      `artifact=${encoded}&version=1&urls=2`,
      `artifact=${encoded}&version=1&urls=`,
      `artifact=%ff&version=1`,
      `artifact=%c0%ae&version=1`,
      `artifact=%&version=1`,
      `artifact=%2e%2e%2fx&version=1`,
      `artifact=a%00b&version=1`,
    ]) {
      assert.equal(await status(query), 400, query);
    }
    assert.equal(await status(`artifact=%252e%252e%252fx&version=1`), 404);
  });

  test("versions are listed in name order by pages, the newest signed first", async () => {
    const artifact = uniqueName("list");
    assert.deepEqual(await acme.list(artifact), { versions: [], next: null });
    await acme.open(artifact);
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}`, Buffer.from("z")]),
    );
    for (const version of ["1", "2", "3"]) await acme.write(artifact, version, 1, files);
    const page = await acme.list(artifact, { urls: "1", cloud: "x" });
    assert.deepEqual(
      page.versions.map(({ version, expires, transfer, files: all }) => [
        version,
        expires === null,
        transfer,
        all.filter(({ url }) => url !== null).length,
      ]),
      [
        ["1", true, "cross-cloud", 0],
        ["2", false, "cross-cloud", 40],
        ["3", false, "cross-cloud", 60],
      ],
    );
    assert.equal(page.next, null);
    const rest = await acme.list(artifact, { after: "1" });
    assert.deepEqual(
      rest.versions.map(({ version }) => version),
      ["2", "3"],
    );
    await fails(acme.request("versions/list", { artifact, after: "a/b" }), 400, "bad_request");
  });

  test("artifacts are listed by the bytes their path begins with", async () => {
    const root = uniqueName("index");
    for (const name of ["a_b", "a%b", "axb"]) {
      await acme.open(`${root}/${name}`);
      await acme.write(`${root}/${name}`, "1", 1, small);
    }
    await acme.open(`${root}/never`);
    const list = async (under: string, after?: string) =>
      (await acme.artifacts({ under, after })).artifacts.map(({ artifact }) => artifact);
    assert.deepEqual(await list(`${root}/`), [`${root}/a%b`, `${root}/a_b`, `${root}/axb`]);
    assert.deepEqual(await list(`${root}/a_`), [`${root}/a_b`]);
    assert.deepEqual(await list(`${root}/a%`), [`${root}/a%b`]);
    assert.deepEqual(await list(`${root}/`, `${root}/a%b`), [`${root}/a_b`, `${root}/axb`]);
    const { artifacts } = await acme.artifacts({ under: `${root}/a_` });
    const { lastCommit, ...entry } = artifacts[0]!;
    assert.deepEqual(entry, {
      artifact: `${root}/a_b`,
      versions: 1,
      bytes: 7,
      latest: "1",
      source: "test",
    });
    assert.equal(lastCommit, (await acme.read(`${root}/a_b`)).committed);
    assert.deepEqual((await rival.artifacts({ under: root })).artifacts, []);
    assert.ok((await acme.artifacts()).artifacts.length >= 3);
  });

  test("one hundred commits of one upload at once are one version", async () => {
    const artifact = uniqueName("race");
    await acme.open(artifact);
    const upload = await acme.begin(artifact, "1", 1, small);
    const sent = await sendParts(upload, small);
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => acme.commit(artifact, upload.upload, 1, sent)),
    );
    assert.ok(replies.every(({ status, text }) => status === 200 && text === replies[0]!.text));
    const [entry] = (await acme.artifacts({ under: artifact })).artifacts;
    assert.equal(entry!.versions, 1);
  });

  test("notes are stored as they are sent, and no browser shows them as a page", async () => {
    const artifact = uniqueName("notes");
    const url = (note: string) => system.baseUrl + address("artifacts/note", { artifact, note });
    const authorization = `Bearer ${organizations.acme.key}`;
    const put = (note: string, body: Uint8Array, headers: Record<string, string> = {}) =>
      fetch(url(note), { method: "PUT", body, headers: { authorization, ...headers } });
    await fails(acme.request("artifacts/note", { artifact, note: "n" }), 404, "not_found");
    for (const body of [Buffer.from([0, 255, 128, 10]), Buffer.alloc(0), Buffer.alloc(65_536, 9)]) {
      const stored = await put("N.o_t-e", body, { "content-type": "text/html" });
      assert.deepEqual([stored.status, await stored.text()], [204, ""]);
      const read = await fetch(url("N.o_t-e"), { headers: { authorization } });
      assert.equal(read.status, 200);
      assert.ok(body.equals(Buffer.from(await read.arrayBuffer())));
      const { headers } = read;
      assert.equal(headers.get("content-type"), "application/octet-stream");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.match(headers.get("content-disposition")!, /^attachment/);
      assert.match(headers.get("content-security-policy")!, /sandbox/);
    }
    for (const note of [".", ".."]) assert.equal((await put(note, Buffer.from("x"))).status, 204);
    for (const note of ["", "a b", "a#b", "a?b", "a/b", "n".repeat(129), "ü"]) {
      assert.equal((await put(note, Buffer.from("x"))).status, 400, note);
    }
    assert.equal((await put("n".repeat(128), Buffer.from("x"))).status, 204);
    assert.equal((await put("big", Buffer.alloc(65_537))).status, 400);
    const gzip = await put("n", Buffer.from("x"), { "content-encoding": "gzip" });
    assert.equal(gzip.status, 415);
    assert.equal(((await gzip.json()) as { error: string }).error, "bad_request");
    const foreign = rival.request("artifacts/note", { artifact, note: "N.o_t-e" });
    await fails(foreign, 404, "not_found");
    // The artifact has no versions by that, and no writer.
    assert.deepEqual((await acme.artifacts({ under: artifact })).artifacts, []);
    assert.equal((await acme.open(artifact)).epoch, 1);
  });

  test("a note that is too long is refused before it has come to its end", async () => {
    const artifact = uniqueName("endless");
    const path = address("artifacts/note", { artifact, note: "n" });
    const head = `PUT ${path} HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer ${organizations.acme.key}\r\n`;
    for (const rest of [
      `transfer-encoding: chunked\r\n\r\n10001\r\n${"x".repeat(65_537)}\r\n`,
      "content-length: 1000000000\r\n\r\nx",
    ]) {
      const connection = new RawConnection(system.baseUrl);
      connection.send(head + rest);
      await fails(connection.reply, 400, "bad_request");
    }
    await fails(acme.request("artifacts/note", { artifact, note: "n" }), 404, "not_found");
  });
});

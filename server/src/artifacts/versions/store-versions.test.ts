import assert from "node:assert/strict";
import { test } from "node:test";
import type { UploadReply, VersionsPage } from "@lossless/protocol";
import { StoreError } from "../../buckets/bucket.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { place, TestWalks } from "./walks.fixture.ts";

const files = { a: Buffer.from("first file"), b: Buffer.from("second") };

/** This store names each state of an object as versioned Azure does: `<key>` is at `v<number>`. */
class States {
  readonly #numbers = new Map<string, number>();

  constructor({ home }: TestWalks) {
    home.storeVersionOf = (key) => `v${this.#numbers.get(key) ?? 1}`;
  }

  /** Puts another object under the key, as a client that still has an address can. */
  overwrite(key: string): void {
    this.#numbers.set(key, (this.#numbers.get(key) ?? 1) + 1);
  }
}

onEachDatabase((fresh) => {
  const node = fresh.node();

  const begun = async () => {
    const walks = await TestWalks.open(node);
    const states = new States(walks);
    await walks.open("a");
    const upload = await walks.begin("a", "v1", 1, files);
    const sent = walks.send(upload, files);
    return { walks, states, upload, sent, commit: () => walks.commit("a", upload, 1, sent) };
  };
  const keyOf = (walks: TestWalks, { upload }: UploadReply, name: string) =>
    `${walks.organizationId}/a/v1/${upload}/${name}`;
  const manifestOf = ({ home }: TestWalks) => {
    const [key] = [...home.objects.keys()].filter((one) => one.endsWith("_manifest.json"));
    const text = Buffer.from(home.objects.get(key)!).toString();
    return JSON.parse(text) as { files: { name: string; storeVersion?: string }[] };
  };
  /** The states that are signed, by every way to the version. */
  const signedStates = async (walks: TestWalks): Promise<string[][]> => {
    const { organizationId, versions } = walks;
    const { files: read } = await walks.read("a");
    const list = { organizationId, artifact: "a", after: null, urls: true, place };
    const page = JSON.parse(String(await versions.list(list))) as VersionsPage;
    const { version } = await walks.open("a", "latest");
    const all = [read, page.versions[0].files, version!.files];
    return all.map((one) => one.map(({ url }) => url!.split("@")[1] ?? "none"));
  };

  test("the state that the commit made is signed, whatever is put there later; the manifest has it", async () => {
    const { walks, states, upload, commit } = await begun();
    const first = await commit();
    states.overwrite(keyOf(walks, upload, "a"));
    assert.deepEqual(await signedStates(walks), Array(3).fill(["v1", "v1"]));
    assert.deepEqual(
      manifestOf(walks).files.map(({ name, storeVersion }) => [name, storeVersion]),
      [
        ["a", "v1"],
        ["b", "v1"],
      ],
    );
    assert.deepEqual(await commit(), first);
    assert.deepEqual(await signedStates(walks), Array(3).fill(["v1", "v1"]));
  });

  test("what is put there between completion and look is not what is committed", async () => {
    const { walks, states, commit } = await begun();
    walks.home.after = (call, key) => {
      if (call === "complete") states.overwrite(key);
    };
    await commit();
    assert.deepEqual(await signedStates(walks), Array(3).fill(["v1", "v1"]));
  });

  test("a completion whose reply was lost: what is there then is committed, and stays so", async () => {
    const { walks, states, upload, sent, commit } = await begun();
    let left = 1;
    walks.home.after = (call) => {
      if (call === "complete" && left-- > 0) throw new StoreError("timeout", true, "lost");
    };
    await assert.rejects(commit(), failsWith("upstream"));
    await walks.again().commit("a", upload, 1, sent);
    states.overwrite(keyOf(walks, upload, "a"));
    states.overwrite(keyOf(walks, upload, "b"));
    assert.deepEqual(await signedStates(walks), Array(3).fill(["v1", "v1"]));
    assert.ok(manifestOf(walks).files.every(({ storeVersion }) => storeVersion === "v1"));
  });

  test("ETags may be empty where a store gives none", async () => {
    const { walks, upload, sent } = await begun();
    const empty = sent.map(({ name, etags }) => ({ name, etags: etags.map(() => "") }));
    const first = await walks.commit("a", upload, 1, empty);
    assert.deepEqual(await walks.commit("a", upload, 1, empty), first);
    assert.deepEqual(await signedStates(walks), Array(3).fill(["v1", "v1"]));
  });

  test("stores that keep one state have none in record, row and manifest", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    await walks.write("a", "v1", 1, files);
    assert.deepEqual(await signedStates(walks), Array(3).fill(["none", "none"]));
    assert.ok(manifestOf(walks).files.every((file) => !("storeVersion" in file)));
    const rows = await node.all<{ files: string }>(
      `SELECT upload_files.files FROM upload_files JOIN upload ON upload.id = upload_files.upload
       WHERE organization = $1`,
      walks.organizationId,
    );
    assert.ok(rows.every((row) => !row.files.includes("storeVersion")));
  });
});

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { lockDirectory } from "../database/lock.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { TestNode } from "../database/node.fixture.ts";
import { newId } from "../ground/ids.ts";
import { addLocation } from "../places/rows/locations/add.ts";
import { listLocations, locationSecretContext } from "../places/rows/locations/location.ts";
import { resealSecrets, sealingMasterKeys } from "../places/rows/locations/secrets.ts";
import {
  ensureMasterKey,
  ensureNextKey,
  makeMasterKey,
  masterKeyFileName,
  masterKeyInDirectory,
  requireMasterKey,
} from "../settings/master-key.ts";
import { rotateMasterKey } from "./master-key-rotation.ts";
import { Sealing } from "../ground/sealing.ts";

const secretAccessKey = "the secret of a store";

/** A data directory with one location whose secret is sealed. */
class SealedDirectory implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), "lossless-rotation-"));
  readonly organizationId = "organization";

  static async make(): Promise<SealedDirectory> {
    const made = new SealedDirectory();
    const sealing = new Sealing(ensureMasterKey(made.path));
    await made.use(async (node) => {
      await migrate(node.database);
      const { organizationId } = made;
      await node.execute(
        "INSERT INTO organization (id, name, created_at_ms) VALUES ($1, 'acme', 0)",
        organizationId,
      );
      const actor = await node.addMember(organizationId, "admin");
      const id = newId(1);
      const location = {
        id,
        organizationId,
        name: "n",
        cloud: "c",
        region: "r",
        endpoint: "https://s3.test",
        bucket: "b",
        path: "",
        signingRegion: "r",
        pathStyle: true,
        accessKeyId: "a",
        sealedSecret: sealing.seal(secretAccessKey, locationSecretContext({ id, organizationId })),
        capabilities: {},
        fallback: true,
      };
      await node.write(addLocation, { location, by: { actor, address: null } });
    });
    return made;
  }

  async use<Result>(work: (node: TestNode) => Promise<Result>): Promise<Result> {
    await using database = openSqlite({ directory: this.path });
    return await work(new TestNode(database));
  }

  rotate(oldMasterKeyFile?: string, masterKeyFile?: string) {
    const settings = { dataDirectory: this.path, databaseUrl: undefined, data: this.path };
    const cacheDirectory = join(this.path, "cache");
    return rotateMasterKey({ ...settings, cacheDirectory, oldMasterKeyFile, masterKeyFile });
  }

  /** The secret, opened as the service does it at a start. */
  secret(masterKey?: Uint8Array): Promise<string> {
    return this.use(async (node) => {
      const sealedUnder = await node.read(sealingMasterKeys, {});
      const key = masterKey ?? masterKeyInDirectory(this.path, sealedUnder);
      requireMasterKey(key, sealedUnder);
      const [location] = await node.read(listLocations, { organizationId: this.organizationId });
      return new Sealing(key).open(location.sealedSecret!, locationSecretContext(location));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.path, { recursive: true });
  }
}

suite("change of the master key", () => {
  test("in a data directory: another key, the same secret", async () => {
    await using directory = await SealedDirectory.make();
    const file = join(directory.path, masterKeyFileName);
    const before = readFileSync(file, "utf8");
    const { keyId, resealed, file: changed } = await directory.rotate();
    assert.deepEqual([resealed, changed], [1, file]);
    assert.notEqual(readFileSync(file, "utf8"), before);
    assert.equal(keyId, new Sealing(ensureMasterKey(directory.path)).keyId);
    assert.equal(existsSync(`${file}.next`), false);
    assert.equal(await directory.secret(), secretAccessKey);
    await assert.rejects(
      directory.secret(new Uint8Array(Buffer.from(before.trim(), "hex"))),
      /sealed under the master key with the id [0-9a-f]{16}.*rotate-master/,
    );
    assert.equal((await directory.rotate()).resealed, 1);
    assert.equal(await directory.secret(), secretAccessKey);
  });

  test("a secret that was swapped or altered: one sentence, and nothing is changed", async () => {
    await using directory = await SealedDirectory.make();
    const key = ensureMasterKey(directory.path);
    const foreign = new Sealing(key).seal("of somebody else", "another location");
    const set = (sealed: Uint8Array) =>
      directory.use((node) =>
        node.database.write((one) => one.run("UPDATE location SET sealed_secret = $1", sealed)),
      );
    await set(foreign);
    await assert.rejects(directory.rotate(), (error: Error) => {
      assert.equal(error.name, "ConfigError");
      assert.match(error.message, /belongs to something else\. Nothing was changed/);
      return true;
    });
    assert.deepEqual(ensureMasterKey(directory.path), key);
  });

  test("to and from files of their own, as often as it is run", async () => {
    await using directory = await SealedDirectory.make();
    const [first, second] = ["1", "2"].map((name) => join(directory.path, "keys", name));
    assert.equal((await directory.rotate(undefined, first)).resealed, 1);
    assert.equal((await directory.rotate(undefined, first)).resealed, 0);
    assert.equal((await directory.rotate(first, second)).resealed, 1);
    assert.equal((await directory.rotate(first, second)).resealed, 0);
    await assert.rejects(directory.secret(), /rotate-master/);
    await assert.rejects(directory.rotate(second, second), /is the old one/);
    await assert.rejects(directory.rotate(second), /--master-key-file/);
    await assert.rejects(directory.rotate(undefined, first), /neither the old/);
    await assert.rejects(directory.rotate(join(directory.path, "none"), first), /ENOENT/);
  });

  test("cut short before the commit, the old key goes on; a further run takes the same new key", async () => {
    await using directory = await SealedDirectory.make();
    const next = new Sealing(ensureNextKey(directory.path));
    assert.equal(await directory.secret(), secretAccessKey);
    assert.ok(existsSync(join(directory.path, "master.key.next")));
    assert.equal((await directory.rotate()).keyId, next.keyId);
    assert.equal(await directory.secret(), secretAccessKey);
  });

  test("cut short after the commit, the start of the service finishes it, or a further run", async () => {
    for (const finish of ["start", "rotate"]) {
      await using directory = await SealedDirectory.make();
      const before = ensureMasterKey(directory.path);
      const next = new Sealing(ensureNextKey(directory.path), before);
      await directory.use((node) => node.database.write((one) => resealSecrets(one, next)));
      if (finish === "rotate") assert.equal((await directory.rotate()).resealed, 0);
      assert.equal(await directory.secret(), secretAccessKey);
      assert.equal(new Sealing(ensureMasterKey(directory.path)).keyId, next.keyId);
      assert.equal(existsSync(join(directory.path, "master.key.next")), false);
    }
  });

  test("a directory that is in use is left alone", async () => {
    await using directory = await SealedDirectory.make();
    using _lock = lockDirectory(directory.path);
    await assert.rejects(directory.rotate(), { name: "DirectoryInUse" });
    assert.equal(existsSync(join(directory.path, "master.key.next")), false);
  });

  test("a key that is made leaves an existing file alone, and no draft", async () => {
    await using directory = await SealedDirectory.make();
    const file = join(directory.path, "some.key");
    writeFileSync(file, `${"ab".repeat(32)}\n`, { mode: 0o600 });
    makeMasterKey(file);
    assert.equal(readFileSync(file, "utf8").trim(), "ab".repeat(32));
  });
});

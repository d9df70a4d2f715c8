import assert from "node:assert/strict";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readWorkers, workersOf } from "./workers-file.ts";

const directory = "postgres://u:p@h/lossless";

test("one address a line; what is wrong is named by its line, and no address is told", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lossless-workers-file-"));
  const file = join(folder.path, "workers");
  const read = (text: string) => {
    writeFileSync(file, text);
    return readWorkers(file, directory);
  };
  assert.deepEqual(read("# two\npostgres://u:p@a/n\n\n  postgres://u:p@b:1,c:2/n \n"), [
    "postgres://u:p@a/n",
    "postgres://u:p@b:1,c:2/n",
  ]);
  assert.throws(() => read("postgres://a/n\nmysql://u:hunter2@h\n"), /line 2.*postgres:\/\//);
  assert.throws(() => read("mysql://u:hunter2@h\n"), /^(?!.*hunter2)/);
  assert.throws(() => read("# none\n"), /names no worker/);
  assert.throws(() => readWorkers(join(folder.path, "none"), directory), /ENOENT/);
  assert.throws(() => readWorkers(file, undefined), /needs --database-url/);
  writeFileSync(file, "postgres://a/n\n");
  const given = { workersFile: file, databaseUrl: directory, segments: "s3://b/p" };
  assert.deepEqual(workersOf(given), ["postgres://a/n"]);
  assert.equal(workersOf({ ...given, workersFile: undefined }), undefined);
  assert.throws(() => workersOf({ ...given, databaseUrl: undefined }), /needs --database-url/);
  assert.throws(() => workersOf({ ...given, segments: undefined }), /needs --segments/);
});

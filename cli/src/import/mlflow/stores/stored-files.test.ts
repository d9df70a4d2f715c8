import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf } from "./stored-files.ts";

test("a run without files is one only where its store is; elsewhere its files are elsewhere", async () => {
  await using base = await mkdtempDisposable(join(tmpdir(), "lossless-files-"));
  const directory = base.path;
  mkdirSync(join(directory, "mlruns/1/there/artifacts"), { recursive: true });
  const [beside, apart] = [true, false].map((isBesideFiles) => ({ directory, isBesideFiles }));
  const at = (run: string) => join(directory, "mlruns/1", run, "artifacts");
  for (const form of ["mlflow-artifacts:/1/", "/elsewhere/mlruns/1/", "./mlruns/1/"]) {
    assert.equal(filesOf(`${form}there/artifacts`, beside), at("there"));
    assert.equal(filesOf(`${form}there/artifacts`, apart), at("there"));
    assert.equal(filesOf(`${form}empty/artifacts`, beside), at("empty"));
    assert.equal(filesOf(`${form}empty/artifacts`, apart), undefined);
  }
  // An address of its own on this machine.
  assert.equal(filesOf(at("empty"), apart), at("empty"));
  assert.equal(filesOf(`file://${at("empty")}`, apart), at("empty"));
});

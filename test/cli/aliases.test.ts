import assert from "node:assert/strict";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { type Finished, finished, start } from "./command-line.ts";

suite("lossless alias", () => {
  const service = suiteService();
  const lossless = (line: string): Promise<Finished> =>
    finished(start(service.baseUrl, line.split(" "), { LOSSLESS_API_KEY: organizations.acme.key }));
  const done = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await lossless(line);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test("an alias is set, moved on a condition, pulled by, and removed", async () => {
    using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-aliases-"));
    const file = join(directory.path, "weights");
    for (const text of ["one", "two"]) {
      writeFileSync(file, text);
      await done(`push ${file} net ${text === "one" ? "--alias best --alias first" : ""}`.trim());
    }
    assert.equal(
      await done("alias set net best latest --from 000000000001"),
      "net @best points to 000000000002, before that to 000000000001\n",
    );
    const late = await lossless("alias set net best @first --new");
    assert.equal(late.code, 1);
    assert.match(late.stderr, /The alias best points to version 000000000002/);
    const out = join(directory.path, "out");
    await done(`pull net ${out} --version @best`);
    assert.equal(readFileSync(join(out, "weights"), "utf8"), "two");
    assert.match(
      await done("alias list net"),
      /^ALIAS .*\nbest +000000000002 +present .*\nfirst +0/,
    );
    await done("alias remove net first --from 000000000001");
    const missing = await lossless(`pull net ${out}2 --version @first`);
    assert.match(missing.stderr, /net: The artifact has no alias first\./);
    const steps = (await done("alias history net best")).split("\n").slice(1, 3);
    assert.deepEqual(
      steps.map((line) => line.split(/ {2,}/).slice(1, 4)),
      [
        ["best", "-", "000000000001"],
        ["best", "000000000001", "000000000002"],
      ],
    );
  });
});

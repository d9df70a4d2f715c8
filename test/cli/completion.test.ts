import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { run } from "./command-line.ts";
import { suiteDirectory } from "../suite-service.ts";

const nowhere = "http://127.0.0.1:1";

suite("completion", () => {
  const directory = suiteDirectory("completion");
  let script: string;
  before(async () => {
    writeFileSync(join(directory, "points.csv"), "");
    const { code, stdout } = await run(nowhere, "completion", "bash");
    assert.equal(code, 0);
    script = join(directory, "lossless.bash");
    writeFileSync(script, stdout);
  });

  /** The words that bash would offer for the last of these words. */
  function offered(...words: string[]): string[] {
    const typed = ["lossless", ...words];
    const quoted = typed.map((word) => `'${word}'`).join(" ");
    const program = `. ${script}; COMP_WORDS=(${quoted}); COMP_CWORD=${typed.length - 1}
      _lossless; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const options = { cwd: directory, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", program], options);
    assert.equal(status, 0, stderr);
    return stdout.split("\n").filter((line) => line !== "");
  }

  test("bash: commands, their second words, options and files", () => {
    assert.deepEqual(offered("pu"), ["push", "pull"]);
    assert.deepEqual(offered("exp"), ["export", "experiments"]);
    assert.deepEqual(offered("experiments", ""), ["list", "tree", "show"]);
    assert.deepEqual(offered("experiments", "list", "--st"), ["--status"]);
    assert.deepEqual(offered("import", "po"), ["points.csv"]);
    assert.deepEqual(offered("import", "--fo"), ["--folder"]);
    assert.deepEqual(offered("import", "mlflow", "--no"), ["--no-files"]);
    assert.deepEqual(offered("serve", "--admin-p"), ["--admin-port"]);
    assert.deepEqual(offered("nonsense", "--"), []);
  });

  test("every shell gets every command, and another word is a mistake", async () => {
    const { stdout: help } = await run(nowhere, "--help");
    const names = [...help.matchAll(/^ {2}(\S+(?: \S+)?) {2,}/gm)].map(([, name]) => name);
    assert.ok(names.length > 40);
    for (const shell of ["zsh", "fish"]) {
      const { code, stdout } = await run(nowhere, "completion", shell);
      assert.equal(code, 0);
      for (const word of names.flatMap((name) => name.split(" "))) {
        assert.ok(stdout.includes(word), `${shell} lacks ${word}`);
      }
    }
    const { code, stderr } = await run(nowhere, "completion", "tcsh");
    assert.equal(code, 2);
    assert.match(stderr, /must be one of bash, zsh, fish, not tcsh/);
  });
});

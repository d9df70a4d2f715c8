import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../test/cli/command-line.ts";
import { sharedPostgres } from "../../test/postgres.ts";
import { commands } from "./commands.ts";

/** Further arguments that each command needs before it opens the database. */
const further: Record<string, string[]> = {
  "org delete": ["acme"],
  "org restore": ["acme"],
  "org purge": ["acme"],
  "keys create": ["--name", "x"],
  "keys revoke": ["x"],
  "people invite": ["--role", "member"],
  "people role": ["ada@acme.test", "member"],
  "people remove": ["ada@acme.test"],
  "people erase": ["ada@acme.test"],
  "people reset-password": ["ada@acme.test"],
  "issuer rotate": ["--issuer-url", "https://keys.example"],
  backup: ["PLACE"],
  copy: ["--to-data", "COPY"],
};

test("every command says of a database without an installation what to do", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lossless-commands-"));
  const url = await (await sharedPostgres()).createDatabase();
  for (const [name, { load }] of Object.entries(commands)) {
    const command = await load();
    if (!("database-url" in (command.options ?? {}))) continue;
    // One works on a directory alone, the other tells and goes on.
    if (name === "compact" || name === "doctor") continue;
    const given = (further[name] ?? []).map((word) =>
      /^[A-Z]+$/.test(word) ? join(directory, word) : word,
    );
    const words = [...name.split(" "), ...given, "--data", join(directory, "own")];
    const { code, stdout, stderr } = await run("", ...words, "--database-url", url);
    const told = stdout + stderr;
    const isTold = /has no installation of Lossless/.test(told);
    assert.deepEqual([code, isTold], [2, true], `${name}: ${code} ${told}`);
    assert.doesNotMatch(told, /\n\s+at /, name);
  }
  rmSync(directory, { recursive: true });
});

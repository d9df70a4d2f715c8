import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { OrganizationCaller } from "../contract/callers.ts";
import { organizations } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { run } from "./command-line.ts";

suite("lossless export of a group", () => {
  const service = suiteService();
  const directory = suiteDirectory("exports");
  before(async () => {
    const target = { baseUrl: service.baseUrl, observe: () => undefined };
    const acme = new OrganizationCaller(target, organizations.acme.key);
    const parent = await acme.ask("folder.create", { name: "team", parentFolderId: null });
    for (const slug of ["one", "two", "other"]) {
      const experiment = await acme.open(slug);
      await experiment.send(experiment.metric());
    }
    await acme.ask("experiment.move", { experimentSlug: "one", folderId: parent.folderId });
  });

  const lossless = (...words: string[]) => run(service.baseUrl, "export", ...words);

  test("Parquet of each choice has its experiments, whole and under its names only", async () => {
    const choices: [string[], string[]][] = [
      [["--all"], ["one", "other", "two"]],
      [
        ["--query", "slug in (one, two)"],
        ["one", "two"],
      ],
      [["--folder", "team"], ["one"]],
      [
        ["--slug", "two", "--slug", "other"],
        ["other", "two"],
      ],
    ];
    for (const [at, [words, slugs]] of choices.entries()) {
      const out = join(directory, String(at));
      const { code, stderr } = await lossless(...words, "--format", "parquet", "--out", out);
      assert.equal(code, 0, stderr);
      const names = ["annotations.parquet", "experiments.parquet", "lineage.parquet"];
      names.push("lines.parquet", "points.parquet");
      assert.deepEqual(readdirSync(out).sort(), names);
      for (const name of names) {
        const bytes = readFileSync(join(out, name));
        assert.equal(bytes.subarray(0, 4).toString() + bytes.subarray(-4).toString(), "PAR1PAR1");
      }
      // Bounds of a column stand in the footer as they are.
      const footer = readFileSync(join(out, "points.parquet")).toString("latin1");
      assert.ok(footer.includes(slugs[0]) && footer.includes(slugs.at(-1)!));
    }
    const again = await lossless("--all", "--format", "parquet", "--out", join(directory, "0"));
    assert.equal(again.code, 1);
    assert.match(again.stderr, /points\.parquet exists; --force replaces it/);
  });

  test("a query chooses CSV files, too", async () => {
    const out = join(directory, "csv");
    const { code, stderr } = await lossless("--query", "slug in (one, two)", "--out", out);
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(out).sort(), ["one.csv", "two.csv"]);
  });

  test("what does not go together is a mistake of usage, and a wrong query is shown", async () => {
    for (const words of [
      ["--all", "--query", "slug = one"],
      ["--all", "--series", "loss"],
      ["--all", "--format", "parquet", "--gzip"],
    ])
      assert.equal((await lossless(...words)).code, 2, words.join(" "));
    const wrong = await lossless("--query", "slug =", "--format", "parquet", "--out", directory);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /query: .*character/);
  });
});

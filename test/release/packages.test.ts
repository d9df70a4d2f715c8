import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { recordAndRead, recorded, serveInstalled } from "./installed-service.ts";
import { fileOf, run, Workshop } from "./made.ts";

const names = ["protocol", "client", "server", "cli"] as const;

/** Records with the client that is installed beside it, and prints what it reads. */
const program = `
import { LosslessClient } from "@lossless/client";
const client = new LosslessClient({ baseUrl: process.argv[2], apiKey: process.argv[3] });
const recorder = await client.record({ slug: "by-the-package" });
for (let step = 0; step < 10; step++) recorder.record("loss", step / 3, step);
await recorder.finish();
const read = [];
for await (const { value } of client.series({ experimentId: recorder.experimentId })) {
  read.push(...value);
}
console.log(JSON.stringify(read));
`;

/** The packages that can be made and installed within a minute; release.long.ts has everything. */
suite("packages of a release", () => {
  const workshop = new Workshop();
  let made: string;
  const tarball = (name: string) => fileOf(made, new RegExp(`^lossless-${name}-[\\d.]+\\.tgz$`));

  before(async () => {
    made = await workshop.release("made", "--only", "npm");
  });
  after(() => workshop[Symbol.dispose]());

  for (const name of names) {
    test(`publint and arethetypeswrong find nothing in @lossless/${name}`, async () => {
      const bytes = readFileSync(tarball(name));
      const { messages } = await publint({
        pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
        strict: true,
      });
      assert.deepEqual(messages, []);
      const analysis = await checkPackage(createPackageFromTarballData(bytes));
      assert.ok(name === "cli" || analysis.types !== false);
      // Packages of modules alone: what only `require` of an old Node would meet is no problem.
      const problems = (analysis.types === false ? [] : analysis.problems).filter(
        (problem) =>
          !("resolutionKind" in problem) ||
          !["node10", "node16-cjs"].includes(problem.resolutionKind),
      );
      assert.deepEqual(problems, []);
    });
  }

  test("the command alone has no server, and says how to get one", async () => {
    const directory = workshop.path("command");
    await install(directory, ["protocol", "client", "cli"]);
    const command = [process.execPath, commandIn(directory)] as const;
    const { stdout } = await run(command[0], [command[1], "--version"]);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    const { stdout: completion } = await run(command[0], [command[1], "completion", "bash"]);
    assert.match(completion, /experiments/);
    for (const words of [["serve"], ["verify", "--data", directory]]) {
      await assert.rejects(run(command[0], [command[1], ...words]), (error: Error) => {
        assert.equal((error as Error & { code: number }).code, 2);
        assert.match(
          (error as Error & { stderr: string }).stderr,
          /^lossless: this needs the service itself.*npm install --global @lossless\/cli@\S+ @lossless\/server@\S+\n$/,
        );
        return true;
      });
    }
  });

  test("all packages in an empty directory serve, record and read back", async () => {
    const directory = workshop.path("all");
    await install(directory, names);
    writeFileSync(workshop.path("all", "program.mjs"), program);
    const command = [process.execPath, commandIn(directory)];
    const place = { data: workshop.path("data"), cwd: workshop.directory };
    await using service = await serveInstalled(command, place);
    assert.deepEqual(await recordAndRead(service), recorded);
    const words = ["program.mjs", service.baseUrl, service.apiKey];
    const { stdout } = await run(process.execPath, words, { cwd: directory });
    const expected = Array.from({ length: 10 }, (_, step) => step / 3);
    assert.deepEqual(JSON.parse(stdout), expected);
    const page = await fetch(`${service.baseUrl}/experiments`);
    assert.match(await page.text(), /<script type="module"/);
    assert.equal(await service.stop(), 0);
    await run(command[0], [command[1], "verify", "--data", workshop.path("data")]);
  });

  async function install(directory: string, wanted: readonly (typeof names)[number][]) {
    mkdirSync(directory);
    writeFileSync(`${directory}/package.json`, '{ "private": true, "type": "module" }');
    const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    await run("npm", [...words, ...wanted.map(tarball)], { cwd: directory });
  }

  function commandIn(directory: string): string {
    return `${directory}/node_modules/@lossless/cli/bin/lossless.js`;
  }
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { checkoutRoot, organizations, Service } from "./service.ts";

test("the programs of the guide to the client run, one after the other", async () => {
  await using service = await Service.start();
  const guide = await readFile(join(checkoutRoot, "docs/client-typescript.md"), "utf8");
  const programs = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]);
  const expected = [
    /^5000 stored, 0 rejected$/m,
    /^attempt 1: 100 stored, 0 already stored\nattempt 2: 0 stored, 100 already stored$/m,
    /^done \[ 'loss' \]\n5000 points\n5000 points of loss, the last 0\.0067\d+\nlearning rate halved\nrevision \d+$/m,
    /^000000001000 1000000 bytes\n000000002000 1000000 bytes\npulled 000000002000 and its checksums are right$/m,
    /^404 false$/m,
    // The checkpoint once more: a person runs an example twice.
    /^pulled 000000004000 and its checksums are right$/m,
  ];
  programs.push(programs[3]);
  assert.equal(programs.length, expected.length);
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-guide-"));
  await symlink(join(checkoutRoot, "node_modules"), join(directory.path, "node_modules"));
  await writeFile(join(directory.path, "package.json"), '{ "type": "module" }\n');
  for (const [index, program] of programs.entries()) {
    const file = join(directory.path, `program-${index}.ts`);
    await writeFile(file, program);
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: directory.path,
      env: {
        ...process.env,
        LOSSLESS_URL: service.baseUrl,
        LOSSLESS_API_KEY: organizations.acme.key,
      },
    });
    assert.match(stdout, expected[index]);
  }
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { promisify } from "node:util";
import { LosslessClient } from "@lossless/client";
import { organizations, Service } from "../service.ts";

const run = promisify(execFile);

suite("the Python client that a service gives to pip", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-wheel-"));
  after(() => rm(directory, { recursive: true }));
  const service = await Service.start();
  after(() => service.stop());

  test("it is installed from the address that the pages name, and records", async () => {
    const { baseUrl } = service;
    const page = await (await fetch(baseUrl, { headers: { accept: "text/html" } })).text();
    const name = /data-wheel="(lossless-[\d.]+-py3-none-any\.whl)"/.exec(page)![1];
    const wheel = `${baseUrl}/assets/${name}`;
    assert.equal((await fetch(wheel)).headers.get("cache-control"), "no-cache");
    await run("python3", ["-m", "venv", join(directory, "python")]);
    const python = join(directory, "python/bin/python");
    // From this address alone: neither an index nor anything else is asked.
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"];
    await run(python, [...pip, wheel]);
    const program = `
import importlib.metadata, wandb, lossless
assert wandb.__file__ == lossless._wandb.modules.__file__
assert importlib.metadata.metadata("lossless")["License-Expression"] == "Apache-2.0"
run = lossless.init("installed", slug="installed")
run.log({"loss": 0.5})
run.finish()
`;
    await run(python, ["-c", program], {
      cwd: directory,
      env: {
        HOME: directory,
        LOSSLESS_AS_WANDB: "1",
        LOSSLESS_URL: baseUrl,
        LOSSLESS_API_KEY: organizations.acme.key,
      },
    });
    const command = await run(join(directory, "python/bin/lossless"), ["--version"]);
    assert.match(command.stdout, /^lossless [\d.]+ \(Python\)/);
    const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
    assert.equal((await client.experiment({ experimentSlug: "installed" })).slug, "installed");
  });
});

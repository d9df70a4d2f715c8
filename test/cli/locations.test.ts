import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { signIn } from "../contract/people.ts";
import { Service } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import { finished, start } from "./command-line.ts";

test("a new fallback says who still goes to the built-in location, and how that ends", async () => {
  await using store = await S3Double.start({ buckets: ["models"] });
  await using service = await Service.start({ people: true, allowPrivate: ["127.0.0.0/8"] });
  const directory = await mkdtemp(join(tmpdir(), "lossless-locations-"));
  const file = join(directory, "weights.bin");
  await writeFile(file, "weights");
  const target = { baseUrl: service.baseUrl, observe: () => undefined };
  const environment = {
    LOSSLESS_API_KEY: await signIn(target, "ada", "acme"),
    LOSSLESS_STORE_SECRET: store.secretAccessKey,
    XDG_STATE_HOME: join(directory, "state"),
    XDG_CONFIG_HOME: join(directory, "config"),
  };
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await finished(start(service.baseUrl, words, environment));
    assert.equal(code, 0, stderr);
    return stdout;
  };
  try {
    const words = ["locations", "add", "--endpoint", store.endpoint, "--bucket", "models"];
    words.push("--access-key-id", store.accessKeyId, "--signing-region", store.region);
    const added = await run(...words, "--cloud", "own", "--region", "cellar", "--fallback");
    assert.match(added, /^models is added, and the fallback\n/);
    assert.match(
      added,
      /local\/local .* still go to built-in;\nlossless locations retire built-in /,
    );
    assert.match(await run("push", file, "runs/a"), /, at built-in \(local\/local\)$/m);
    await run("locations", "retire", "built-in");
    assert.match(await run("push", file, "runs/a"), /, at models \(own\/cellar\), the fallback$/m);
    assert.equal(await run("locations", "fallback", "models"), "models is the fallback\n");
  } finally {
    await rm(directory, { recursive: true });
  }
});

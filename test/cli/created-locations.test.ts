import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Location } from "@lossless/protocol";
import { AwsDouble } from "../clouds/aws/aws-double.ts";
import { trustConnection } from "../clouds/aws/trusting-account.ts";
import { World } from "../clouds/world.ts";
import { finished, start } from "./command-line.ts";

test("locations add --connection makes a bucket, names what is wrong, and pushes go there", async () => {
  await using double = await AwsDouble.start();
  await using world = await World.start({ clouds: double.addresses });
  const environment = {
    LOSSLESS_API_KEY: await world.signIn(),
    XDG_STATE_HOME: join(world.directory, "state"),
    XDG_CONFIG_HOME: join(world.directory, "config"),
  };
  const run = (...words: string[]) => finished(start(world.baseUrl, words, environment));
  const add = (...words: string[]) => run("locations", "add", ...words);
  const fails = async (code: number, sentence: RegExp, ...words: string[]) => {
    const { code: found, stdout, stderr } = await add(...words);
    assert.deepEqual([found, stdout], [code, ""], stderr);
    assert.match(stderr, sentence);
  };

  const connection = await world.createConnection("aws", { name: "our account" });
  await fails(1, /there is no connection other/, "--connection", "other", "--region", "us-east-1");
  await fails(2, /--region is required/, "--connection", "our account");
  await fails(2, /--bucket is for an existing bucket/, "--connection", "c", "--bucket", "b");
  await fails(2, /--virtual-host is for an existing bucket/, "--connection", "c", "--virtual-host");
  const inRegion = ["--connection", "our account", "--region", "us-east-1"];
  await fails(1, /pending: run its setup script/, ...inRegion);

  await world.completeConnection(connection, trustConnection(double, connection));
  const first = await add(...inRegion, "--json");
  assert.equal(first.code, 0, first.stderr);
  const location = JSON.parse(first.stdout) as Location;
  assert.deepEqual([location.kind, location.fallback], ["created", false]);
  assert.ok(double.s3.objects(location.bucket));

  const byId = ["--connection", connection.id, "--region", "us-east-1"];
  const second = await add(...byId, "--name", "home", "--fallback");
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stdout, /^home is added, and the fallback: bucket lossless-\S+ at http:/);
  assert.match(second.stdout, /still go to built-in/);

  const file = join(world.directory, "weights.bin");
  await writeFile(file, "weights");
  const pushed = await run("push", file, "runs/a", "--cloud", "aws", "--region", "us-east-1");
  assert.equal(pushed.code, 0, pushed.stderr);
  assert.match(pushed.stdout, /, at aws-us-east-1 \(aws\/us-east-1\)$/m);
});

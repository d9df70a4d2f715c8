import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, suite, test } from "node:test";
import { Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { S3Double } from "../../stores/s3-double.ts";
import { finished, type Finished, start } from "../command-line.ts";

const mebibyte = 1_048_576;
const large = randomBytes(20 * mebibyte);
let near: S3Double;
let far: S3Double;
let service: Service | undefined;
const directory = suiteDirectory("artifact-stores");

before(async () => {
  near = await S3Double.start({ buckets: ["near"] });
  far = await S3Double.start({ buckets: ["far"], dialect: "ceph" });
  const location = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Double) => ({
    kind: "s3",
    endpoint,
    path: "lossless",
    signingRegion: region,
    pathStyle: true,
    accessKeyId,
    secretAccessKey,
  });
  service = await Service.start({
    allowPrivate: ["127.0.0.0/8"],
    locations: [
      { ...location(near), bucket: "near", cloud: "aws", region: "eu", fallback: false },
      { ...location(far), bucket: "far", cloud: "other", region: "us", fallback: true },
    ],
  });
  await mkdir(join(directory, "source"));
  await writeFile(join(directory, "source", "large ü.bin"), large);
  await writeFile(join(directory, "source", "empty"), "");
});
beforeEach(() => {
  near.faults.clear();
});
after(async () => {
  // A service that did not start must not keep the test from ending.
  await service?.[Symbol.asyncDispose]();
  await near[Symbol.asyncDispose]();
  await far[Symbol.asyncDispose]();
});

function run(...words: string[]): Promise<Finished> {
  const environment = {
    XDG_STATE_HOME: join(directory, "state"),
    LOSSLESS_CLOUD: "aws",
    LOSSLESS_REGION: "eu",
  };
  return finished(start(service!.baseUrl, words, environment));
}

suite("push and pull with S3 stores", () => {
  test("there and back, to the location of the writer's region", async () => {
    const pushed = await run("push", join(directory, "source"), "s3/a");
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.match(pushed.stdout, /: 2 files, 21\.0 MB, at near \(aws\/eu\)$/m);
    const out = join(directory, "out-a");
    const pulled = await run("pull", "s3/a", out);
    assert.equal(pulled.code, 0, pulled.stderr);
    assert.ok((await readFile(join(out, "large ü.bin"))).equals(large));
    assert.equal((await readFile(join(out, "empty"))).length, 0);
    assert.match((await run("versions", "s3/a")).stdout, / aws +eu /);
  });

  test("parts are tried again, and a store that takes none is left with a warning", async () => {
    near.faults.add({ fault: "slowDown", operation: "UploadPart", times: 2 });
    assert.equal((await run("push", join(directory, "source"), "s3/b")).code, 0);
    assert.match((await run("versions", "s3/b")).stdout, / aws +eu /);
    near.faults.add({ fault: "internalError", operation: "UploadPart" });
    const { code, stdout, stderr } = await run("push", join(directory, "source"), "s3/b");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /, at far \(other\/us\), the fallback\. .+/);
    assert.match(
      stderr,
      /HTTP 500 \(InternalError\); sending everything again to another location/,
    );
    assert.match((await run("versions", "s3/b")).stdout, /^000000000002 .* other +us /m);
    near.faults.clear();
    const out = join(directory, "out-b");
    assert.equal((await run("pull", "s3/b", out)).code, 0);
    assert.ok((await readFile(join(out, "large ü.bin"))).equals(large));
  });

  test("a store that gives nothing for a while is told, and that it is back", async () => {
    assert.equal((await run("push", join(directory, "source"), "s3/d")).code, 0);
    near.faults.add({ fault: "slowDown", operation: "GetObject", times: 14 });
    const { code, stdout, stderr } = await run("pull", "s3/d", join(directory, "out-d"), "--json");
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /"the store at \S+ answered GET .*SlowDown\): trying again until \d\d:\d\d"/,
    );
    assert.match(stderr, /"the store answers again"/);
    assert.equal((JSON.parse(stdout) as { verified: boolean }).verified, true);
  });

  test("a store that begins nothing is one line of the log, without a stack", async () => {
    near.faults.add({ fault: "internalError", operation: "CreateMultipartUpload" });
    const { code, stdout } = await run("push", join(directory, "source"), "s3/e");
    assert.equal(code, 0);
    assert.match(stdout, /, at far \(other\/us\), the fallback\. .+/);
    const logged = `${service!.output}${service!.errors}`.split("\n");
    const lines = logged.filter((line) => line.includes("began no upload"));
    assert.ok(lines.length > 0);
    for (const line of lines) assert.match(line, /"code":"InternalError","reason":"[^"]+"/);
    assert.ok(
      lines.every((line) => !line.includes("stack")),
      lines[0],
    );
  });

  test("gc and verify say what they cannot look at, and what to do", async () => {
    const data = ["--data", service!.dataDirectory];
    const gc = await run("gc", "--dry-run", ...data);
    assert.equal(gc.code, 1);
    assert.match(gc.stdout, /forbidden address\. .*egress\.allowPrivate.*--provision FILE/);
    const provision = ["--provision", service!.provisionFile];
    assert.equal((await run("gc", "--dry-run", ...data, ...provision)).code, 0);
    const verified = await run("verify", ...data);
    assert.match(verified.stdout, / 0 versions, /);
    assert.match(
      verified.stdout,
      /^\d+ versions? at (?:another location|other locations) not checked: lossless pull/m,
    );
  });

  test("a wrong bit in the store never becomes a file", async () => {
    assert.equal((await run("push", join(directory, "source"), "s3/c")).code, 0);
    near.faults.add({ fault: "flippedBit", operation: "GetObject", key: /large/ });
    const out = join(directory, "out-c");
    const { code, stderr } = await run("pull", "s3/c", out);
    assert.equal(code, 1);
    assert.match(stderr, /large ü\.bin differs from the pushed file: its SHA-256 is/);
    await assert.rejects(readFile(join(out, "empty")), /ENOENT/);
    near.faults.clear();
    assert.equal((await run("pull", "s3/c", out)).code, 0);
    assert.ok((await readFile(join(out, "large ü.bin"))).equals(large));
  });
});

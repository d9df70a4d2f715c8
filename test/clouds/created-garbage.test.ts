import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { UploadReply, UsageRow } from "@lossless/protocol";
import { run } from "../cli/command-line.ts";
import { ArtifactCaller, ok, sendParts, sizes } from "../contract/artifact-caller.ts";
import { organizations } from "../service.ts";
import { AwsDouble } from "./aws/aws-double.ts";
import { trustConnection } from "./aws/trusting-account.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { World } from "./world.ts";

const files = { "a.bin": Buffer.from("given up") };
const place = { cloud: "aws", region: "us-east-1", source: "test" };

test("a created location: usage is counted, and gc removes what a writer left, once it may ask the cloud", async () => {
  await using double = await AwsDouble.start();
  await using world = await World.start({ clouds: double.addresses });
  const { service, baseUrl } = world;
  const connection = await world.createConnection("aws");
  await world.completeConnection(connection, trustConnection(double, connection));
  const location = await world.createLocation(connection, place.region);
  const directory = join(world.directory, "checkpoint");
  await writeCheckpoint(directory);
  await world.push("runs/kept", directory, location);
  const kept = await world.readVersion("runs/kept", false);
  const bytes = kept.files.reduce((sum, { size }) => sum + size, 0);

  const { rows } = ok<{ rows: UsageRow[] }>(await world.request("GET", "usage"), 200);
  const [placeCloud, placeRegion] = [place.cloud, place.region];
  const written = { kind: "write", location: location.id, match: "region", transfer: "local" };
  const day = rows[0]?.day ?? "";
  assert.deepEqual(rows, [{ day, placeCloud, placeRegion, ...written, bytes, count: 1 }]);

  const acme = new ArtifactCaller(world, organizations.acme.key);
  const artifact = "runs/lost";
  const { epoch } = await acme.open(artifact);
  const body = { epoch, place, files: sizes(files), meta: {} };
  const begun = await acme.post("versions/begin", { artifact, version: "1" }, body);
  const lost = ok<UploadReply>(begun, 201);
  await sendParts(lost, files);
  await acme.open(artifact);

  await service.stop();
  const database = new DatabaseSync(join(service.dataDirectory, "lossless.db"));
  const found = database.prepare("UPDATE removal SET not_before_ms = 0").run();
  database.close();
  assert.equal(found.changes, 1);
  await service.start();

  const gc = async (...words: string[]) => {
    const data = ["--data", service.dataDirectory, "--provision", service.provisionFile];
    const { code, stdout, stderr } = await run(baseUrl, "gc", ...data, ...words, "--json");
    const report = JSON.parse(stdout) as { removals: { upload: string; state: string }[] };
    const states = report.removals.map(({ upload, state }) => [upload, state]);
    return { code, states, text: `${stdout}${stderr}` };
  };
  const blind = await gc();
  assert.deepEqual([blind.code, blind.states], [1, [[lost.upload, "failed"]]], blind.text);
  assert.match(blind.text, /Give --issuer-url/);
  const done = await gc("--issuer-url", baseUrl);
  assert.deepEqual([done.code, done.states], [0, [[lost.upload, "removed"]]], done.text);
  assert.deepEqual((await gc("--issuer-url", baseUrl)).states, []);
  await world.pull("runs/kept", join(world.directory, "pulled"));
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { UploadReply, UsageRow } from "@lossless/protocol";
import { ok } from "../http.ts";
import { finished, start } from "../cli/command-line.ts";
import { ArtifactCaller, sendParts, sizes } from "../contract/artifact-caller.ts";
import { MovableClock } from "../movable-clock.ts";
import { organizations } from "../service.ts";
import { AwsDouble } from "./aws/aws-double.ts";
import { trustConnection } from "./aws/trusting-account.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { World } from "./world.ts";

const files = { "a.bin": Buffer.from("given up") };
const place = { cloud: "aws", region: "us-east-1", source: "test" };

test("a created location: usage is counted, and gc removes what a writer left, once it may ask the cloud", async () => {
  let shiftMs = 0;
  await using double = await AwsDouble.start({ clock: () => Date.now() + shiftMs });
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

  // Removal of lost uploads is due after ten minutes. gc and the cloud run already, the service
  // does not: otherwise it would sometimes be faster.
  shiftMs = 11 * 60_000;
  const later = new MovableClock(world.directory, shiftMs).command;
  const gc = async (...words: string[]) => {
    const data = ["--data", service.dataDirectory, "--provision", service.provisionFile];
    const all = ["gc", ...data, ...words, "--json"];
    const { code, stdout, stderr } = await finished(start(baseUrl, all, later));
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
  shiftMs = 0;
  await world.pull("runs/kept", join(world.directory, "pulled"));
});

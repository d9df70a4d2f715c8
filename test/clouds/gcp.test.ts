import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Connection } from "@lossless/protocol";
import { fails } from "../contract/artifact-caller.ts";
import { assertSameFiles, writeCheckpoint } from "./checkpoint.ts";
import { refuseTheConfusedDeputy } from "./confused-deputy.ts";
import { Gcloud } from "./gcp/gcloud.ts";
import { GoogleDouble } from "./gcp/google-double.ts";
import { GoogleProject } from "./gcp/project.ts";
import { runSetup } from "./gcp/run-setup.ts";
import { goTheWholeWay } from "./whole-way.ts";
import { World } from "./world.ts";

const region = "europe-west4";
/** The double can fetch the issuer's keys, which Google could not from this address. */
const fetched = { LOSSLESS_UPLOAD_KEYS: "0" };

async function worldWithGoogle() {
  const project = new GoogleProject("lossless-tests", "123456789012");
  const gcloud = new Gcloud(project);
  const google = await GoogleDouble.start({ projects: [project] });
  const world = await World.start({ clouds: { gcp: google.endpoints } });
  return {
    project,
    gcloud,
    google,
    world,
    setUp: (variables: Record<string, string>) => (connection: Connection) =>
      runSetup(connection.setup, gcloud, variables),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await google[Symbol.asyncDispose]();
    },
  };
}

test("Google Cloud, the whole way, as the setup script makes it", async () => {
  await using own = await worldWithGoogle();
  const { google, world } = own;
  let exchangesBefore = 0;
  await goTheWholeWay(world, {
    cloud: "gcp",
    region,
    setUp: own.setUp(fetched),
    rotateKeys: async () => {
      await world.rotateIssuerKeys();
      // Whatever was exchanged for a token of the old key is worth nothing any more.
      google.tokens.forgetIssued();
      exchangesBefore = google.calls.token;
    },
    afterRotation: () => assert.ok(google.calls.token > exchangesBefore),
  });
  const [bucket] = google.buckets;
  assert.match(bucket?.name ?? "", /^lossless-[0-9a-z]{10}-europe-west4-[0-9a-f]{8}$/);
  assert.equal(google.bucket(bucket.name)!.uploads.size, 0);
  const parts = google.log.of("UploadPart");
  assert.ok(parts.length >= 6 && parts.every(({ presigned }) => presigned));
});

test("Google Cloud: one organization's trust lets in no other's tokens (T64)", async () => {
  await using own = await worldWithGoogle();
  await refuseTheConfusedDeputy(own.world, { cloud: "gcp", region, setUp: own.setUp(fetched) });
});

test("Google Cloud: the setup script can be run again, and pins subject and audience", async () => {
  await using own = await worldWithGoogle();
  const { project, gcloud, world } = own;
  const connection = await world.createConnection("gcp");
  const first = await own.setUp(fetched)(connection);
  const made = structuredClone([...project.providers]);
  const bindings = structuredClone(project.bindings);
  const calls = gcloud.calls.length;
  assert.deepEqual(await own.setUp(fetched)(connection), first);
  const again = gcloud.calls.slice(calls).flat();
  assert.deepEqual(
    again.filter((word) => word.startsWith("create")),
    [],
  );
  assert.deepEqual([...project.providers], made);
  assert.deepEqual(project.bindings, bindings);
  const [[, provider]] = made as [(typeof made)[0]];
  assert.deepEqual(provider, {
    issuer: connection.issuer,
    allowedAudiences: [connection.audience],
    attributeMapping: { "google.subject": "assertion.sub" },
    attributeCondition: `assertion.sub=='${connection.subject}'`,
  });
  const name = `lossless-${connection.id.slice(-10)}`;
  assert.equal(bindings.length, 2);
  assert.equal(bindings[0]?.condition, `resource.name.startsWith("projects/_/buckets/${name}-")`);
  for (const role of ["PRIMARY", "owner", "editor", "roles/storage.admin"])
    assert.ok(bindings.every((one) => !one.role.includes(role)));
});

test("Google Cloud: uploaded keys are good for the next key, and then have to be uploaded again", async () => {
  await using own = await worldWithGoogle();
  const { world } = own;
  const connection = await world.createConnection("gcp");
  const upload = own.setUp({ LOSSLESS_UPLOAD_KEYS: "1" });
  const identifiers = await upload(connection);
  await world.completeConnection(connection, identifiers);
  await world.rotateIssuerKeys();
  await world.completeConnection(connection, identifiers);
  await world.rotateIssuerKeys();
  const message = await fails(world.tryComplete(connection, identifiers), 400, "bad_request");
  assert.match(message, /invalid_grant.*keys were uploaded.*run the setup script/s);
  await upload(connection);
  await world.completeConnection(connection, identifiers);
});

test("Google Cloud: a trust that is taken away is told to whoever wants bytes, and nothing else stops", async () => {
  await using own = await worldWithGoogle();
  const { world, project, google } = own;
  const connection = await world.createConnection("gcp");
  const identifiers = await own.setUp(fetched)(connection);
  await world.completeConnection(connection, identifiers);
  const location = await world.createLocation(connection, region);
  const [directory, artifact] = [join(world.directory, "checkpoint"), "runs/revoked"];
  await writeCheckpoint(directory);
  await world.push(artifact, directory, location);
  project.providers.clear();
  google.tokens.forgetIssued();
  await world.restart();
  const query = { artifact, version: "latest", urls: "1" };
  const reply = await world.request("GET", "versions/read", { query });
  const message = await fails(reply, 502, "upstream");
  assert.match(message, /invalid_target.*workload identity provider.*setup script/s);
  // The version itself is known all the same, and PUT tells the same to whoever mends it.
  assert.equal((await world.readVersion(artifact, false)).files.length, 4);
  const told = await fails(world.tryComplete(connection, identifiers), 400, "bad_request");
  assert.match(told, /invalid_target/);
  const [kept] = (await world.view()).connections;
  assert.equal(kept?.state, "active");
  await own.setUp(fetched)(connection);
  await world.completeConnection(connection, identifiers);
  await world.pull(artifact, join(world.directory, "pulled"));
  await assertSameFiles(directory, join(world.directory, "pulled"));
});

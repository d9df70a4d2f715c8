import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fails } from "../contract/artifact-caller.ts";
import { OrganizationCaller } from "../contract/callers.ts";
import { call } from "../http.ts";
import { organizations } from "../service.ts";
import { AwsDouble } from "./aws/aws-double.ts";
import { QueryError } from "./aws/query-error.ts";
import { trustConnection } from "./aws/trusting-account.ts";
import { writeCheckpoint } from "./checkpoint.ts";
import { World } from "./world.ts";

test("a trust that ends: writers go on to the fallback, readers hear what to do, all else works", async () => {
  await using double = await AwsDouble.start();
  await using world = await World.start({ clouds: double.addresses });
  const connection = await world.createConnection("aws");
  await world.completeConnection(connection, trustConnection(double, connection));
  const location = await world.createLocation(connection, "us-east-1");
  const directory = join(world.directory, "checkpoint");
  await writeCheckpoint(directory);
  await world.push("runs/a", directory, location);

  // Whoever administers the account has removed the role; nothing exchanged before is left.
  double.stsFault = new QueryError("AccessDenied", "Not authorized.", 403);
  await world.restart();
  const pushed = await world.push("runs/b", directory, location);
  assert.equal(pushed.placement?.location.cloud, "local");
  assert.match(
    pushed.warning ?? "",
    /"aws-us-east-1" failed to begin the uploads: AccessDenied\. \w/,
  );
  const query = { artifact: "runs/a", version: "latest", urls: "1" };
  const reading = world.request("GET", "versions/read", { query });
  assert.match(await fails(reading, 502, "upstream"), /AccessDenied\. \w/);
  assert.match(world.service.errors, /"advice":"/);
  assert.equal((await world.readVersion("runs/a", false)).files.length, 4);
  for (const path of ["/healthz", "/readyz"]) {
    assert.equal((await call(world.baseUrl, { path })).status, 200);
  }

  const experiment = await new OrganizationCaller(world, organizations.acme.key).open();
  await experiment.send(experiment.metric({ metricValue: 0.5 }));
  const { partitions } = await new OrganizationCaller(world, organizations.acme.key).series(
    experiment.experimentId,
  );
  assert.deepEqual(
    partitions.map(({ value }) => value),
    [[0.5]],
    "points need no cloud",
  );

  double.stsFault = undefined;
  const back = await world.push("runs/b", directory, location);
  assert.equal(back.placement?.location.id, location.id);
  await world.pull("runs/a", join(world.directory, "pulled"));
});

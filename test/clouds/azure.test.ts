import assert from "node:assert/strict";
import { test } from "node:test";
import { fails } from "../contract/artifact-caller.ts";
import { AzureDouble } from "./azure/double.ts";
import { setUpAzure } from "./azure/run-setup.ts";
import { goTheWholeWay } from "./whole-way.ts";
import { World } from "./world.ts";

const region = "westeurope";

test("Azure, the whole way", async () => {
  await using double = await AzureDouble.start();
  await using world = await World.start({ clouds: { azure: double.endpoints } });
  await goTheWholeWay(world, {
    cloud: "azure",
    region,
    setUp: (connection) => setUpAzure(double, connection),
    rotateKeys: (at) => at.rotateIssuerKeys(),
    afterRotation: () => assert.equal(new Set(double.entra.keysSeen).size, 2),
  });
  const [account, ...others] = double.manager.accounts.values();
  assert.deepEqual(others, []);
  // Nothing can be read or written there without a token of Entra.
  assert.deepEqual(
    { ...account?.properties, isHnsEnabled: undefined },
    {
      minimumTlsVersion: "TLS1_2",
      supportsHttpsTrafficOnly: true,
      allowBlobPublicAccess: false,
      allowSharedKeyAccess: false,
      allowCrossTenantReplication: false,
      isHnsEnabled: undefined,
    },
  );
});

test("two organizations: an application of one takes no token of the other (T64)", async () => {
  await using double = await AzureDouble.start();
  await using world = await World.start({ clouds: { azure: double.endpoints } });
  const acme = await world.createConnection("azure");
  const rival = await world.createConnection("azure", { person: "rita" });
  const ofAcme = await setUpAzure(double, acme);
  await world.completeConnection(acme, ofAcme);
  const location = await world.createLocation(acme, region);
  assert.match(location.endpoint, /\/blob\/ll[a-z0-9]{18}$/);

  // The rival knows every identifier of acme's application, whatever she has in her own tenant.
  const message = await fails(world.tryComplete(rival, ofAcme, "rita"), 400, "bad_request");
  assert.match(message, /AADSTS700213/);
  const refused = (await world.view("rita")).connections.find(({ id }) => id === rival.id);
  assert.equal(refused?.state, "pending");
  assert.match(refused?.error ?? "", /run its setup script again/);
  const ofRival = await setUpAzure(double, rival);
  await world.completeConnection(rival, ofRival, "rita");
  // Nor with an active connection, and her own application does not reach into acme's group.
  await fails(world.tryComplete(rival, ofAcme, "rita"), 400, "bad_request");
  assert.ok(ofAcme.cloud === "azure" && ofRival.cloud === "azure");
  const { subscriptionId, resourceGroup } = ofAcme.azure;
  const mixed = { ...ofRival, azure: { ...ofRival.azure, subscriptionId, resourceGroup } };
  await fails(world.tryComplete(rival, mixed, "rita"), 400, "bad_request");
  const kept = (await world.view("rita")).connections.find(({ id }) => id === rival.id);
  assert.equal(kept?.state, "active");
  await fails(world.tryCreateLocation(acme, region, { person: "rita" }), 404, "not_found");
  await fails(world.tryComplete(acme, ofAcme, "rita"), 404, "not_found");
});

test("trust that is taken back shows as upstream, with what to do, and so does a region that is none", async () => {
  await using double = await AzureDouble.start();
  await using world = await World.start({ clouds: { azure: double.endpoints } });
  const connection = await world.createConnection("azure");
  const identifiers = await setUpAzure(double, connection);
  await world.completeConnection(connection, identifiers);
  const nowhere = await world.tryCreateLocation(connection, "nowhere");
  assert.match(await fails(nowhere, 502, "upstream"), /no such region/);
  assert.equal(double.manager.accounts.size, 0);
  double.entra.applications.length = 0;
  const refused = await world.tryCreateLocation(connection, region);
  assert.match(await fails(refused, 502, "upstream"), /AADSTS90002.*check the tenant id/);
});

import assert from "node:assert/strict";
import { join } from "node:path";
import type { CompleteConnectionBody, Connection } from "@lossless/protocol";
import { fails } from "../contract/artifact-caller.ts";
import { assertSameFiles, writeCheckpoint } from "./checkpoint.ts";
import type { CloudName, World } from "./world.ts";

/** The parts that a test of one cloud provides. */
export interface WholeWay {
  cloud: CloudName;
  /** As a person types it. */
  region: string;
  /**
   * Makes the cloud trust the connection's subject, as the setup script does, and gives the
   * identifiers that the person reads off there.
   */
  setUp: (connection: Connection) => Promise<CompleteConnectionBody>;
  /** Whatever makes another key sign the tokens; `World.rotateIssuerKeys` when left out. */
  rotateKeys?: (world: World) => Promise<void>;
  /**
   * Checks the cloud's view after a rotation, for instance that a token of the new key was taken.
   */
  afterRotation?: () => void | Promise<void>;
}

/**
 * Connection, trust, PUT, created location, push, pull, rotation of the issuer's keys, push,
 * retirement, removal: all of issue 4 for one cloud, as its users go.
 */
export async function goTheWholeWay(world: World, way: WholeWay): Promise<void> {
  const { cloud, region } = way;
  const artifact = `runs/${cloud}`;
  const directory = (name: string) => join(world.directory, `${cloud} ${name}`);

  const pending = await world.createConnection(cloud);
  assert.deepEqual([pending.state, pending.identifiers], ["pending", null]);
  await fails(world.tryCreateLocation(pending, region), 409, "conflict");
  const identifiers = await way.setUp(pending);
  const active = await world.completeConnection(pending, identifiers);
  assert.deepEqual([active.state, active.error], ["active", null]);
  assert.deepEqual(active.identifiers, identifiers);

  const location = await world.createLocation(active, region);
  const { kind, name, connection, state, path } = location;
  assert.deepEqual(
    { kind, name, connection, state, path, cloud: location.cloud, region: location.region },
    {
      kind: "created",
      name: `${cloud}-${region}`,
      connection: active.id,
      state: "active",
      path: "",
      cloud,
      region,
    },
  );
  assert.deepEqual((await world.view()).locations.at(-1), location);

  await writeCheckpoint(directory("first"));
  const first = await world.push(artifact, directory("first"), location);
  assert.equal(first.placement?.location.id, location.id);
  assert.equal(first.placement?.match, "region");
  await world.pull(artifact, directory("first pulled"));
  await assertSameFiles(directory("first"), directory("first pulled"));

  await (way.rotateKeys?.(world) ?? world.rotateIssuerKeys());
  // PUT exchanges a token anew, also for a connection that is active.
  await world.completeConnection(active, identifiers);
  await world.restart();
  await writeCheckpoint(directory("second"));
  const second = await world.push(artifact, directory("second"), location);
  assert.equal(second.placement?.location.id, location.id);
  await way.afterRotation?.();
  await world.pull(artifact, directory("second pulled"));
  await assertSameFiles(directory("second"), directory("second pulled"));

  await fails(world.tryRemove(active), 409, "conflict");
  assert.equal((await world.retire(location)).state, "retired");
  await world.pull(artifact, directory("pulled from retired"));
  await assertSameFiles(directory("second"), directory("pulled from retired"));
  const removed = await world.tryRemove(active);
  assert.equal(removed.status, 204, removed.text);
  const { connections } = await world.view();
  assert.deepEqual(
    connections.filter(({ id }) => id === active.id),
    [],
  );
  await assertUnreadable(world, artifact);
}

/** The version is still there; that its bytes are out of reach is said to whoever wants them. */
async function assertUnreadable(world: World, artifact: string): Promise<void> {
  const record = await world.readVersion(artifact, false);
  assert.ok(record.files.every(({ url }) => url === null));
  const reply = await world.request("GET", "versions/read", {
    query: { artifact, version: "latest", urls: "1" },
  });
  assert.match(await fails(reply, 502, "upstream"), /connection .* was removed/);
}

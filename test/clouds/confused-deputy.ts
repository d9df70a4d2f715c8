import assert from "node:assert/strict";
import { fails } from "../contract/artifact-caller.ts";
import type { WholeWay } from "./whole-way.ts";
import type { World } from "./world.ts";

/**
 * One issuer serves all organizations, so only the trust's subject keeps them apart: rival's tokens
 * are refused for what trusts acme, and acme's connection does not exist for rival (T10, T11, T64).
 */
export async function refuseTheConfusedDeputy(
  world: World,
  { cloud, region, setUp }: Pick<WholeWay, "cloud" | "region" | "setUp">,
): Promise<void> {
  const ours = await world.createConnection(cloud, { name: "ours" });
  const identifiers = await setUp(ours);
  await world.completeConnection(ours, identifiers);

  const rita = { person: "rita" } as const;
  const theirs = await world.createConnection(cloud, { name: "theirs", ...rita });
  assert.notEqual(theirs.subject, ours.subject);
  const message = await fails(world.tryComplete(theirs, identifiers, "rita"), 400, "bad_request");
  const [kept] = (await world.view("rita")).connections;
  assert.deepEqual([kept?.id, kept?.state, kept?.identifiers], [theirs.id, "pending", null]);
  assert.ok(kept?.error != null && message.includes(kept.error), `${message} / ${kept?.error}`);
  await fails(world.tryCreateLocation(theirs, region, rita), 409, "conflict");

  await fails(world.tryCreateLocation(ours, region, rita), 404, "not_found");
  await fails(world.tryComplete(ours, identifiers, "rita"), 404, "not_found");
  await fails(world.tryRemove(ours, "rita"), 404, "not_found");
  const still = (await world.view()).connections.find(({ id }) => id === ours.id);
  assert.equal(still?.state, "active");
  // Not even a second connection of the same organization may: each is trusted for itself.
  const second = await world.createConnection(cloud, { name: "second" });
  await fails(world.tryComplete(second, identifiers), 400, "bad_request");
}

import { audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { newId } from "../../../ground/ids.ts";
import { insertLocation, readLocations } from "./location.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

const placeWord = "local";

/**
 * `location.ensureBuiltIn`, at every start: gives an organization without any location the
 * service's own directory as its fallback, so that artifacts work at once. `except` lists
 * organizations whose locations the provision file has.
 */
export async function ensureBuiltInLocations(
  transaction: Transaction,
  { except }: { except: string[] },
  moment: Moment,
): Promise<void> {
  const without = await transaction.all<{ id: string }>(
    `SELECT id FROM organization WHERE purged_at_ms IS NULL
       AND NOT EXISTS (SELECT 1 FROM location WHERE location.organization = organization.id) ORDER BY id`,
  );
  for (const { id } of without) {
    if (!except.includes(id)) await ensureBuiltInLocation(transaction, id, moment);
  }
}

/** Adds the built-in location to an organization that has no location at all. */
export async function ensureBuiltInLocation(
  transaction: Transaction,
  organizationId: string,
  moment: Moment,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  if ((await readLocations(transaction, organizationId)).length > 0) return;
  const id = newId(moment.nowMs);
  const name = "built-in";
  await insertLocation(transaction, {
    id,
    organizationId,
    driver: "built-in",
    name,
    cloud: placeWord,
    region: placeWord,
    endpoint: "",
    bucket: "built-in",
    path: "",
    connection: null,
    access: null,
    signingRegion: null,
    pathStyle: null,
    accessKeyId: null,
    sealedSecret: null,
    capabilities: {},
    isFallback: true,
    isDefault: false,
    state: "active",
    createdAtMs: moment.nowMs,
  });
  const details = { name, cloud: placeWord, region: placeWord, fallback: true };
  const actor = { actor: "service", address: null };
  await audit(
    transaction,
    { ...actor, organizationId, action: "location.added", subject: id, details },
    moment,
  );
}

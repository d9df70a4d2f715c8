import { limits } from "@lossless/protocol/limits";
import { connectionRecord } from "../../places/rows/connections/record.ts";
import { locationRecord } from "../../places/rows/locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";

export const locations = endpointRoutes({
  /** Ready: some location takes what no better one takes. */
  async readOrganization({ caller, served: { storage }, context }) {
    const { organizationId, organizationName: name } = caller;
    const [kept, stored] = await Promise.all([
      storage.read("connection.list", { organizationId }),
      storage.read("location.list", { organizationId }),
    ]);
    const [baseUrl, issuer] = [context.baseUrl(), context.issuerUrl()];
    return {
      orgId: organizationId,
      name,
      issuer,
      connections: kept.map((one) => connectionRecord(one, { issuer, baseUrl })),
      locations: stored.map((one) => locationRecord(one, baseUrl)),
      ready: stored.some(({ isFallback, state }) => isFallback && state === "active"),
    };
  },

  /** Replies when the probe is over, within 15 s. */
  async createLocation({ caller: { organizationId, by }, body, served, context }) {
    const stored = await served.locations.add({ organizationId, body, by });
    return locationRecord(stored, context.baseUrl());
  },

  async updateLocation({ caller: { organizationId, by }, query: { id }, body, served, context }) {
    const input = { organizationId, id, change: body, by };
    const stored = await writeOne(served.storage, "location.update", input);
    return locationRecord(stored, context.baseUrl());
  },

  readMlflowLocations({ caller: { organizationId }, served }) {
    return served.storage.read("run.allowedLocations", { organizationId });
  },

  setMlflowLocations({ caller: { organizationId, by }, body: { allowed }, served }) {
    return writeOne(served.storage, "run.allowLocations", { organizationId, allowed, by });
  },

  async readUsage({ query, ...call }) {
    const days = query.days === undefined ? limits.usageDaysDefault : Number(query.days);
    return fitting(call, "usage.read", { days }, "days");
  },
});

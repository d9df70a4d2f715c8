import { limits } from "@lossless/protocol/limits";
import { connectionRecord } from "../../places/rows/connections/record.ts";
import { ServiceError } from "../../ground/errors.ts";
import { locationRecord } from "../../places/rows/locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

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

  async readUsage({ caller: { organizationId }, query, served, context, request, reply }) {
    const days = query.days === undefined ? limits.usageDaysDefault : Number(query.days);
    const replies = context.replies.reads.of(organizationId, request, reply);
    try {
      const input = { organizationId, days };
      const { pieces } = await replies.read(served.storage, "usage.read", input);
      return pieces;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "result_too_large") throw error;
      throw new ServiceError("bad_request", `${error.message} Ask for fewer days.`);
    }
  },
});

import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";

/** Versions, data sets and models that runs used and made. */
export const lineage = endpointRoutes({
  readRunLineage({ caller: { organizationId }, query: { experimentId }, served }) {
    return served.storage.read("lineage.run", { organizationId, experimentId });
  },

  readVersionLineage({ caller: { organizationId }, query, served }) {
    return served.storage.read("lineage.version", { organizationId, ...query });
  },

  async readLineageGraph({ query, ...call }) {
    const { experimentId, artifact, version, direction = "both" } = query;
    const from =
      experimentId !== undefined && artifact === undefined
        ? { experimentId }
        : experimentId === undefined && artifact !== undefined && version !== undefined
          ? { artifact, version }
          : undefined;
    if (from === undefined)
      throw new ServiceError("bad_request", "Name experimentId, or artifact and version.");
    const depth = within(query.depth, limits.lineageDepthMax, limits.lineageDepthUsual);
    const nodes = within(query.nodes, limits.lineageNodesMax, limits.lineageNodesUsual);
    const ways = direction === "both" ? (["up", "down"] as const) : [direction];
    return fitting(call, "lineage.graph", { from, ways, depth, nodes }, "nodes");
  },

  async recordUse({ caller: { organizationId }, body: { role = "", ...body }, served }) {
    const input = { organizationId, ...body, role };
    const { artifact, version, isNew } = await writeOne(served.storage, "lineage.use", input);
    return { artifact, version, isNew };
  },
});

/** Returns the number in a parameter, as far as it is allowed. */
function within(text: string | undefined, most: number, otherwise: number): number {
  return text === undefined ? otherwise : Math.min(Number(text), most);
}

import type { RunLineage } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { isLineageBehind } from "../experiments/from-before.ts";
import { ServiceError } from "../ground/errors.ts";
import type { NodeId } from "./keys.ts";
import { readLinks } from "./links.ts";
import { readNodes } from "./nodes.ts";

/** `lineage.run`: inputs and outputs of a run, the newest first, as far as one reply has room. */
export async function readRunLineage(
  reader: Reader,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
): Promise<RunLineage> {
  const id: NodeId = `run:${experimentId}`;
  const node = (await readNodes(reader, organizationId, [id])).get(id);
  if (node?.state !== "present") throw new ServiceError("not_found", "There is no such run.");
  const asked = { organizationId, kind: "run", key: experimentId } as const;
  const inputs = await readLinks(reader, { ...asked, way: "up" });
  const outputs = await readLinks(reader, { ...asked, way: "down" });
  return {
    node,
    inputs: inputs.links,
    inputsLeftOut: inputs.leftOut,
    outputs: outputs.links,
    outputsLeftOut: outputs.leftOut,
    isBehind: await isLineageBehind(reader, organizationId),
  };
}

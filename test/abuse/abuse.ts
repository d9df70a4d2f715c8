import type { EndpointName } from "@lossless/protocol";
import type { Scene } from "./scene.ts";

/** One member of an organization, or a stranger, does this to a service that others use too. */
export interface Abuse {
  name: string;
  /** The operations that it asks. What reads has to be one of some abuse's: reads-of-kinds.ts. */
  operations?: readonly EndpointName[];
  /**
   * Whether the neighbour's p99 and the pauses of /healthz are held to their bars in the whole
   * form; not where the machine's two processors are what is short, with thousands of connections.
   */
  isTimed: boolean;
  /** Prepares what the attack needs, and gives it. The neighbour is watched only during it. */
  prepare(scene: Scene): Promise<() => Promise<void>>;
}

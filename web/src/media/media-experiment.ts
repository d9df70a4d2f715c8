import type { Kind } from "../chart/lines/colours.ts";

/** An experiment whose media are shown. */
export interface MediaExperiment {
  experimentId: string;
  revision: number;
  name: string;
  /** The look of its lines; undefined: it is the only one of the page. */
  kind: Kind | undefined;
}

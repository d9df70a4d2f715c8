import type { Config } from "../../settings/config.ts";
import type { BodyWatch } from "./body-progress.ts";
import { BodyReader } from "./body-reader.ts";
import { partWatch } from "./part-body.ts";
import { wholeBodyWatch } from "./whole-body.ts";

export interface Bodies {
  readonly reader: BodyReader;
  /** Bodies on their way. */
  readonly watch: BodyWatch;
  /** Parts of files on their way. */
  readonly partWatch: BodyWatch;
}

export function bodiesOf({
  maxDepth,
  requestTimeoutMs,
}: Pick<Config, "maxDepth" | "requestTimeoutMs">): Bodies {
  return {
    reader: new BodyReader(maxDepth),
    watch: wholeBodyWatch(requestTimeoutMs),
    partWatch: partWatch(requestTimeoutMs),
  };
}

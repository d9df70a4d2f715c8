import type { LoggedNearestBody, LoggedNearestReply } from "@lossless/client";

/** Items of the first panels, asked for before there are panels. */
export interface FirstItems {
  body: LoggedNearestBody;
  /** The `version` of what was known of the series then. */
  version: string;
  /** Undefined: it could not be read, and panels ask for theirs. */
  reply: Promise<LoggedNearestReply | undefined>;
}

import type { Config } from "../../settings/config.ts";
import type { Slots } from "../../ground/slots.ts";
import { Watching } from "../watching/watching.ts";
import type { WebFiles } from "../web/web-files.ts";
import { compressing } from "./compressed.ts";
import { type ReadReplies, readRepliesOf } from "./read-replies.ts";

export interface Replies {
  /** Replies to reads, from when they are made until they are taken. */
  readonly reads: ReadReplies;
  /** Slots of replies that are compressed. */
  readonly compressing: Slots;
  /** The web application, as browsers get it. */
  readonly web: WebFiles;
  /** The OpenAPI document. */
  readonly openApi: () => Buffer;
  /** Requests that wait until an experiment changes. */
  readonly watching: Watching;
}

/** `stop`: aborts when the service stops, and ends the requests that wait. */
export function repliesOf(
  config: Config,
  { web, openApi }: Pick<Replies, "web" | "openApi">,
  stop: AbortSignal,
): Replies {
  const { maxConnections, databaseUrl } = config;
  const sharesDatabase = databaseUrl !== undefined;
  const watching = new Watching({ maxConnections, sharesDatabase, stop });
  return { reads: readRepliesOf(config), compressing: compressing(), openApi, web, watching };
}

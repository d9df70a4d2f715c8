/** What the command line uses of the server. */
export { configOf, readCommandLine } from "./config.ts";
export type { Config } from "./config.ts";
export { exitCodeOf, exitCodes } from "./exit-codes.ts";
export { administer } from "./administration.ts";
export type { Administration, Member } from "./administration.ts";
export { garbageCollection } from "./garbage-collection.ts";
export type { GarbageReport } from "./garbage-collection.ts";
export { listenUrl } from "./listen-address.ts";
export { createLog } from "./log.ts";
export { serve } from "./main.ts";
export { rotateMasterKey } from "./master-key-rotation.ts";
export { ConfigError, optionsHelp } from "./options.ts";
export { joinLink } from "./people/join-link.ts";
export { segmentStoreOf } from "./segment-store.ts";
export { startService } from "./service.ts";
export type { RunningService } from "./service.ts";
export { verify } from "./verify.ts";
export type { Verification } from "./verify.ts";

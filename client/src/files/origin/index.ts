/** Source and environment of this process, for `origin` of a recorder's options. */
export type { OriginChoice } from "./kinds.ts";
export { startedHere } from "./origin.ts";

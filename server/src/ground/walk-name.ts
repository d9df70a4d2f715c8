import { newId } from "./ids.ts";

/** Cursors of one walk have its name in front of the place, for whoever keeps its order. */

export function newWalk(nowMs: number): string {
  return newId(nowMs);
}

export function cursorOf(walk: string, place: unknown): string {
  return `${walk}.${Buffer.from(JSON.stringify(place)).toString("base64url")}`;
}

/** The name that a cursor says, or a place; undefined: it is from before, or somebody's own. */
export function walkOf(after: unknown): string | undefined {
  if (typeof after === "string") return /^([0-9a-z]{26})\./.exec(after)?.[1];
  const { walk } = (after ?? {}) as { walk?: unknown };
  return typeof walk === "string" && /^[0-9a-z]{26}$/.test(walk) ? walk : undefined;
}

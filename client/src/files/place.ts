import { hostname } from "node:os";
import type { Place } from "../wire.ts";

/** The place of the built-in location, and of who does not say where he runs. */
const localPlace = "local";

/**
 * Where this process runs: what is given, then the variables LOSSLESS_CLOUD and LOSSLESS_REGION,
 * then `local`, the built-in location's. The source is the host's name unless given.
 */
export function placeOf(given: Partial<Place> = {}): Place {
  const { LOSSLESS_CLOUD: cloud, LOSSLESS_REGION: region } = process.env;
  return {
    cloud: given.cloud ?? (cloud || localPlace),
    region: given.region ?? (region || localPlace),
    source: given.source ?? hostname(),
  };
}

import { hostname } from "node:os";
import type { Place } from "../wire.ts";

/** The place of the built-in location, and the default of a client. */
const localPlace = "local";

/**
 * Returns the place of this process: as given, else from LOSSLESS_CLOUD and LOSSLESS_REGION, else
 * `local`, the built-in location's. The source is the host's name unless given.
 */
export function placeOf(given: Partial<Place> = {}): Place {
  const { LOSSLESS_CLOUD: cloud, LOSSLESS_REGION: region } = process.env;
  return {
    cloud: given.cloud ?? (cloud || localPlace),
    region: given.region ?? (region || localPlace),
    source: given.source ?? hostname(),
  };
}

import type { Match, Place, Transfer } from "@lossless/protocol";
import type { StoredLocation } from "./location.ts";

export interface Candidate {
  location: StoredLocation;
  match: Match | null;
}

export interface Choice {
  candidate: Candidate;
  /** Set when a better location was skipped (A17). */
  warning: string | null;
}

/**
 * Chooses the location of a version (A16): same cloud and region, then the default of the cloud,
 * then the fallback; the oldest first among equals. `exclude` has locations that failed before.
 * Undefined: no location can take it. By the specification, an organization without a fallback
 * writes nothing at all, wherever the writer is.
 */
export function chooseLocation(
  locations: readonly StoredLocation[],
  place: Pick<Place, "cloud" | "region">,
  exclude: readonly string[],
): Choice | undefined {
  if (!locations.some(({ state, isFallback }) => state === "active" && isFallback)) {
    return undefined;
  }
  const candidates = candidatesFor(locations, place);
  const index = candidates.findIndex(({ location }) => !exclude.includes(location.id));
  const candidate = candidates[index];
  if (candidate === undefined) return undefined;
  const skipped = candidates.slice(0, index).map(({ location }) => location.name);
  if (skipped.length === 0) return { candidate, warning: null };
  const names = skipped.map((name) => JSON.stringify(name)).join(", ");
  const warning =
    `The version goes to ${JSON.stringify(candidate.location.name)}` +
    `${candidate.match === null ? ", the fallback," : ""} because ${names} failed or was excluded.`;
  return { candidate, warning };
}

/** Lists the active locations that may take a writer of this place, best first, each once. */
function candidatesFor(
  locations: readonly StoredLocation[],
  { cloud, region }: Pick<Place, "cloud" | "region">,
): Candidate[] {
  const active = locations.filter(({ state }) => state === "active");
  const near = active.filter((one) => one.cloud === cloud && one.region === region);
  const defaults = active.filter((one) => one.cloud === cloud && one.isDefault);
  const fallbacks = active.filter((one) => one.isFallback);
  const candidates: Candidate[] = [
    ...near.map((location) => ({ location, match: "region" as const })),
    ...defaults.map((location) => ({ location, match: "cloud" as const })),
    ...fallbacks.map((location) => ({ location, match: null })),
  ];
  const seen = new Set<string>();
  return candidates.filter(({ location }) => !seen.has(location.id) && seen.add(location.id));
}

/**
 * Returns how a reader's place and a location relate (A18). A place is known when it has a cloud.
 */
export function transferOf(
  place: Partial<Pick<Place, "cloud" | "region">> | undefined,
  location: Pick<StoredLocation, "cloud" | "region">,
): Transfer {
  if (place?.cloud === undefined || place.cloud === "") return "unknown";
  if (place.cloud !== location.cloud) return "cross-cloud";
  if (place.region === undefined || place.region === "") return "unknown";
  return place.region === location.region ? "local" : "cross-region";
}

import type { Place } from "@lossless/protocol";
import type { Moment } from "../../ground/clock.ts";
import type { Transaction } from "../../database/database.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { transferOf } from "../../places/rows/locations/placement.ts";
import { countUsage } from "../../places/rows/locations/usage.ts";

/** Files of one version that were signed for a reader. */
export interface SignedRead {
  location: Pick<StoredLocation, "id" | "cloud" | "region">;
  /**
   * Sum of the sizes of the files. The bytes that the reader actually fetches, in part or twice,
   * bypass the service.
   */
  bytes: number;
}

export interface CountReads {
  organizationId: string;
  /** The reader's, as far as it is known. */
  place: Partial<Pick<Place, "cloud" | "region">>;
  reads: SignedRead[];
}

/** `usage.count`: one read for every version of which files were signed (A32). */
export async function countReads(
  transaction: Transaction,
  { organizationId, place, reads }: CountReads,
  moment: Moment,
): Promise<void> {
  // In one order on all nodes: each of them locks a row.
  const ordered = reads.toSorted((a, b) => (a.location.id < b.location.id ? -1 : 1));
  for (const { location, bytes } of ordered) {
    const entry = {
      organizationId,
      kind: "read" as const,
      placeCloud: place.cloud ?? "",
      placeRegion: place.region ?? "",
      locationId: location.id,
      match: null,
      transfer: transferOf(place, location),
      bytes,
    };
    await countUsage(transaction, entry, moment);
  }
}

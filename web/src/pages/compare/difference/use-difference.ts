import type { DifferenceBody, DifferenceReply } from "@lossless/protocol";
import type { Service } from "../../../signed-in.ts";
import type { Compared } from "../use-compared.ts";
import { type Followed, useFollowed } from "../use-followed.ts";

export type DifferenceChoice = Omit<
  DifferenceBody,
  "experimentIds" | "query" | "folderId" | "sort"
>;

/** Follows the differences between visible experiments, the reference first. */
export function useDifference(
  { client }: Service,
  compared: Compared,
  asked: DifferenceChoice,
): Followed<DifferenceReply> {
  const body: DifferenceBody = { ...asked, experimentIds: shownIds(compared) };
  return useFollowed(compared, JSON.stringify(body), (question, stopped) =>
    client.views.difference(JSON.parse(question) as DifferenceBody, stopped),
  );
}

/** Ids of the visible experiments; the reference is never hidden. */
export function shownIds({ experiments, reference }: Compared): string[] {
  const others = experiments.filter((one) => one !== reference && !one.isHidden);
  return [...(reference === undefined ? [] : [reference]), ...others].map(
    ({ experimentId }) => experimentId,
  );
}

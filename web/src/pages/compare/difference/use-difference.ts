import type { DifferenceBody, DifferenceReply } from "@lossless/protocol";
import type { Service } from "../../../signed-in.ts";
import type { Compared } from "../use-compared.ts";
import { type Followed, useFollowed } from "../use-followed.ts";

export type Asked = Omit<DifferenceBody, "experimentIds" | "query" | "folderId" | "sort">;

/** What differs between the experiments that are not hidden, the reference first; followed. */
export function useDifference(
  { client }: Service,
  compared: Compared,
  asked: Asked,
): Followed<DifferenceReply> {
  const body: DifferenceBody = { ...asked, experimentIds: shownIds(compared) };
  return useFollowed(compared, JSON.stringify(body), (question, stopped) =>
    client.views.difference(JSON.parse(question) as DifferenceBody, stopped),
  );
}

/** Hidden ones are left out, but for the one that others are compared with. */
export function shownIds({ experiments, reference }: Compared): string[] {
  const others = experiments.filter((one) => one !== reference && !one.isHidden);
  return [...(reference === undefined ? [] : [reference]), ...others].map(
    ({ experimentId }) => experimentId,
  );
}

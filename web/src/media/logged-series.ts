import type { LoggedNamesReply, LoggedNearestReply } from "@lossless/client";
import type { LoggedKind } from "@lossless/protocol";
import { countText } from "../parts/words.ts";

/** A series of media, texts or histograms. */
export type MediaSeries = LoggedNamesReply["series"][number];
export type MediaItem = LoggedNearestReply["items"][number];

/** Identifies a series: a text and a picture may have the same name. */
export function seriesKey({ kind, name }: { kind: LoggedKind; name: string }): string {
  return `${kind} ${name}`;
}

/** Whether it is shown item by item, and not as one picture of all steps. */
export function isOfItems({ kind }: { kind: LoggedKind }): boolean {
  return kind !== "histogram" && kind !== "text";
}

/** Describes the step of what is shown, and the wanted one where it is another. */
export function stepText(step: number, wanted: number | undefined): string {
  const shown = `step ${countText(step)}`;
  return wanted === undefined || wanted === step
    ? shown
    : `${shown}, nearest to ${countText(wanted)}`;
}

/** Metadata of an item, such as its rank. */
export function metadataText(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
}

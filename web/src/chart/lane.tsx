import type { OverviewReply } from "@lossless/client";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { copied } from "../parts/copy.tsx";
import { countText } from "../parts/words.ts";
import { placeOf } from "./axis-x.ts";
import { margin } from "./draw.ts";
import {
  clustersOf,
  keyOf,
  placeOfMark,
  type Anchors,
  type Cluster,
  type Mark,
  type SavedVersion,
} from "./lane-marks.ts";
import { savedIn, VersionCard } from "./version-card.tsx";

interface Props {
  marks: readonly Mark[];
  anchors: Anchors;
  overview: OverviewReply;
  /** Both ends of the axis as it is drawn. */
  range: readonly [number, number];
  /** The plot, in CSS pixels. */
  width: number;
}

const signs = {
  error: "✕",
  nonfinite: "▲",
  version: "◆",
  annotation: "⚑",
  done: "✓",
  start: "▸",
};

/** More would not fit; the annotations' tab has all. */
const toldMax = 5;

/** What happened, on the axis of the chart above it. */
export function Lane({ marks, anchors, overview, range, width }: Props) {
  const [told, setTold] = useState<string>();
  const [shown, setShown] = useState<readonly SavedVersion[]>();
  const { xAxis, xScale } = overview;
  const placed = marks.flatMap((mark) => {
    const place = placeOfMark(mark, xAxis, anchors);
    if (place === undefined || (xScale === "log" && place <= 0)) return [];
    return [{ mark, left: placeOf(range, xScale, place) * width }];
  });
  const clusters = clustersOf(placed, width);
  if (clusters.length === 0) return null;
  const act = async ({ marks: there }: Cluster, words: string) => {
    const versions = savedIn(there);
    if (versions.length === 0) return setTold(words);
    setTold(undefined);
    setShown(versions);
    // The card says it, too, where there is no clipboard.
    const [{ command }] = versions;
    if (versions.length === 1 && (await copied(command))) setTold(`copied: ${command}`);
  };
  return (
    <>
      <div class="lane" style={{ marginLeft: `${margin.left}px`, width: `${width}px` }}>
        {clusters.map((cluster) => {
          const words = wordsOf(cluster);
          const [{ kind }] = cluster.marks;
          return (
            <Fragment key={keyOf(cluster)}>
              {cluster.right !== undefined && (
                <span
                  class="lasting"
                  style={{ left: `${cluster.left}px`, width: `${cluster.right - cluster.left}px` }}
                />
              )}
              <button
                type="button"
                class={kind}
                style={{ left: `${cluster.left}px` }}
                aria-label={words}
                onClick={() => void act(cluster, words)}
                onPointerEnter={() => setTold(words)}
                onPointerLeave={() => setTold(undefined)}
                onFocus={() => setTold(words)}
                onBlur={() => setTold(undefined)}
              >
                <span aria-hidden="true">
                  {signs[kind]}
                  {cluster.marks.length > 1 && <small>{countText(cluster.marks.length)}</small>}
                </span>
              </button>
            </Fragment>
          );
        })}
        {told !== undefined && (
          <p class="told" aria-live="polite">
            {told}
          </p>
        )}
      </div>
      {shown !== undefined && <VersionCard versions={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function wordsOf({ marks }: Cluster): string {
  const words = marks.slice(0, toldMax).map((mark) => mark.words);
  if (marks.length > toldMax) words.push(`and ${countText(marks.length - toldMax)} more`);
  // What is seen on the button is a part of its name.
  const count = marks.length === 1 ? "" : `${countText(marks.length)}: `;
  return count + words.join("; ");
}

import type { OverviewReply } from "@lossless/client";
import { Fragment } from "preact";
import { useRef, useState } from "preact/hooks";
import { copied } from "../../parts/copy.tsx";
import { countText } from "../../parts/words.ts";
import { axisRange, placeOf } from "../axes/axis-x.ts";
import { margin } from "../axes/margins.ts";
import {
  clustersOf,
  keyOf,
  signs,
  signsOf,
  type Cluster,
  type Mark,
  type PlacedMark,
} from "./marks.ts";
import { MarksCard } from "./marks-card.tsx";

interface Props {
  happened: readonly PlacedMark[];
  overview: OverviewReply;
  /** Width of the plot, in CSS pixels. */
  width: number;
  /** Whether the axis has all points, without a zoom. */
  isWhole: boolean;
}

/** Marks described at most; a list shows all of them. */
const toldMax = 5;

/** The marks of an experiment, on the axis of the chart above. */
export function Lane({ happened, overview, width, isWhole }: Props) {
  const [told, setTold] = useState<string>();
  const [shown, setShown] = useState<{ key: string; marks: readonly Mark[]; isCopied: boolean }>();
  const opener = useRef<HTMLElement>(null);
  const range = axisRange(overview);
  const placed = happened.map(({ mark, x }) => ({
    mark,
    left: placeOf(range, overview.xScale, x) * width,
  }));
  const clusters = clustersOf(placed, width, isWhole);
  if (clusters.length === 0) return null;
  const act = async (cluster: Cluster, words: string, button: HTMLElement) => {
    const { marks: there } = cluster;
    const [{ show }] = there;
    if (show !== undefined && !isList(cluster)) return show();
    if (!isList(cluster)) return setTold(words);
    opener.current = button;
    setTold(undefined);
    const opened = { key: keyOf(cluster), marks: there, isCopied: false };
    setShown(opened);
    const isCopied = await commandCopied(there);
    setShown((now) => (now === opened ? { ...opened, isCopied } : now));
  };
  const close = () => {
    setShown(undefined);
    opener.current?.focus();
  };
  return (
    <>
      <div
        class="lane"
        style={{ marginLeft: `${margin.left}px`, width: `${width}px` }}
        onKeyDown={(event) => event.key === "Escape" && shown !== undefined && close()}
      >
        {clusters.map((cluster) => {
          const words = wordsOf(cluster);
          const [{ kind }] = cluster.marks;
          return (
            <Fragment key={keyOf(cluster)}>
              <Lasting {...cluster} />
              <button
                type="button"
                class={kind}
                style={{ left: `${cluster.left}px` }}
                aria-label={words}
                aria-expanded={isList(cluster) ? shown?.key === keyOf(cluster) : undefined}
                onClick={(event) => void act(cluster, words, event.currentTarget)}
                onPointerEnter={() => setTold(words)}
                onPointerLeave={() => setTold(undefined)}
                onFocus={() => setTold(words)}
                onBlur={() => setTold(undefined)}
              >
                <span aria-hidden="true">
                  <Signs {...signsOf(cluster)} />
                </span>
              </button>
            </Fragment>
          );
        })}
        {told !== undefined && <Told words={told} />}
      </div>
      {shown !== undefined && <MarksCard {...shown} onClose={close} />}
    </>
  );
}

function Lasting({ left, right }: Cluster) {
  if (right === undefined) return null;
  return <span class="lasting" style={{ left: `${left}px`, width: `${right - left}px` }} />;
}

function Told({ words }: { words: string }) {
  return (
    <p class="told" aria-live="polite">
      {words}
    </p>
  );
}

/**
 * Copies the command of a single version. The card shows it too, for browsers without a clipboard.
 */
async function commandCopied(marks: readonly Mark[]): Promise<boolean> {
  const command = marks.length === 1 ? marks[0].saved?.command : undefined;
  return command !== undefined && copied(command);
}

/** Whether a click opens the card: a mark that is no version was described on hover. */
function isList({ marks }: Cluster): boolean {
  if (marks.every(({ show }) => show !== undefined)) return false;
  return marks.length > 1 || marks[0].saved !== undefined;
}

function wordsOf({ marks }: Cluster): string {
  if (marks.length > 1 && marks.every(({ show }) => show !== undefined))
    return `several steps, the first ${marks[0].words}`;
  const words = marks.slice(0, toldMax).map((mark) => mark.words);
  const rest = marks.length - toldMax;
  if (rest > 0) words.push(`and ${countText(rest)} more; click to list all`);
  // The name of the button includes its visible content.
  const { shown, hasMore } = signsOf({ marks });
  const counts = shown.flatMap(({ count }) => (count > 1 ? countText(count) : []));
  const seen = counts.join(" ") + (hasMore ? "+" : "");
  return (seen === "" ? "" : `${seen}: `) + words.join("; ");
}

function Signs({ shown, hasMore }: ReturnType<typeof signsOf>) {
  return (
    <>
      {shown.map(({ kind, count }) => (
        <span key={kind} class={kind}>
          {signs[kind]}
          {count > 1 && <small>{countText(count)}</small>}
        </span>
      ))}
      {hasMore && <small>+</small>}
    </>
  );
}

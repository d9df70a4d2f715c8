import type { DifferenceReply } from "@lossless/protocol";
import { useMemo, useState } from "preact/hooks";
import { useDifference } from "../difference/use-difference.ts";
import type { MetricOrder } from "../difference/metric-view.ts";
import { usualMetric } from "../difference/usual-metric.ts";
import type { PanelProps } from "../panel.ts";
import { ApartTable } from "./apart-table.tsx";
import {
  apartParameters,
  apartWays,
  readApartView,
  type ApartView,
  type ApartWay,
} from "./apart-view.ts";
import { CountChoice, MarkHelp, RankChoice } from "./side-choices.tsx";
import { allSides, bestSides, firstSides, markedSides, usualCount, type Sides } from "./sides.ts";
import { useRanks } from "./use-apart.ts";

const titles: Record<ApartWay, string> = {
  best: "best by a metric",
  first: "first in the list",
  marked: "marked A and B",
  all: "these against all others",
};

/** Compares two sides of the experiments; nothing is read before it is opened. */
export function ApartPanel(props: PanelProps) {
  const { location } = props;
  const read = () => readApartView((name) => location.parameter(name));
  const view = read();
  const change = (changed: Partial<ApartView>) =>
    location.change(apartParameters({ ...read(), ...changed }), true);
  return (
    <section class="apart" aria-label="A against B">
      <header>
        <h2>A against B</h2>
        <div class="choices">
          {apartWays.map((way) => (
            <button
              key={way}
              type="button"
              aria-pressed={view.way === way}
              onClick={() => change({ way: view.way === way ? undefined : way })}
            >
              {titles[way]}
            </button>
          ))}
        </div>
      </header>
      {view.way !== undefined && <SidesByWay {...props} {...{ view, change }} />}
    </section>
  );
}

interface ChosenProps extends PanelProps {
  view: ApartView;
  change: (changed: Partial<ApartView>) => void;
}

/** Metrics to choose from at a time: each comes with its summaries. */
const namesMax = 50;

function SidesByWay(props: ChosenProps) {
  const { service, compared, address, view, change } = props;
  const [text, setText] = useState("");
  const { reply, problem } = useDifference(service, compared, {
    metricText: text,
    metricsMax: view.way === "best" ? namesMax : 0,
  });
  const shown = compared.experiments.filter(({ isHidden }) => !isHidden).length;
  const count = view.count ?? usualCount(shown);
  const choice = (
    <CountChoice count={count} max={shown} onCount={(next) => change({ count: next })} />
  );
  const table = (sides: Sides) => <ApartResult {...props} {...{ sides, reply }} />;
  if (view.way === "first")
    return (
      <>
        <p class="choices">{choice}</p>
        {table(firstSides(compared, count))}
      </>
    );
  if (view.way === "marked")
    return (
      <>
        <MarkHelp marked={address.marked.size} />
        {table(markedSides(compared, address))}
      </>
    );
  if (view.way === "all") return table(allSides(compared));
  const names = reply?.metrics.map(({ name }) => name);
  const rank = view.rank ?? (names && usualMetric(names));
  return (
    <>
      <div class="choices">
        {choice}
        <RankChoice
          {...{ rank, text }}
          names={names ?? []}
          found={reply?.metricsFound ?? 0}
          onText={setText}
          onRank={(next) => change({ rank: next })}
        />
      </div>
      {rank === undefined ? (
        <p class="count">{problem ?? (reply === undefined ? "…" : "No metrics yet.")}</p>
      ) : (
        <SidesByRank {...props} {...{ rank, count, reply }} />
      )}
    </>
  );
}

interface RankedProps extends ChosenProps {
  rank: MetricOrder;
  count: number;
  reply: DifferenceReply | undefined;
}

function SidesByRank(props: RankedProps) {
  const { service, compared, rank, count, reply } = props;
  const ranks = useRanks(service, compared, rank);
  const values = ranks.isCurrent ? ranks.reply?.values : undefined;
  const sides = useMemo(
    () => values && bestSides(compared, count, rank, values),
    [compared, count, values, rank.descending],
  );
  if (sides === undefined) return <p class="count">{ranks.problem ?? "…"}</p>;
  return <ApartResult {...props} {...{ sides, reply }} />;
}

interface PartedProps extends ChosenProps {
  sides: Sides;
  /** The metas of all compared experiments. */
  reply: DifferenceReply | undefined;
}

/** The comparison, or a sentence if a side is empty. */
function ApartResult(props: PartedProps) {
  const { sides } = props;
  const { a, b, said } = sides;
  return (
    <>
      {said.length > 0 && <p class="count">{said.join(" ")}</p>}
      {a.length === 0 || b?.length === 0 ? (
        <p class="count">{a.length === 0 ? "No experiments in A." : "No experiments in B."}</p>
      ) : (
        <ApartTable {...props} />
      )}
    </>
  );
}

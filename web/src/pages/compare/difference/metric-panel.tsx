import { limits } from "@lossless/protocol/limits";
import { useMemo, useState } from "preact/hooks";
import { countText } from "../../../parts/words.ts";
import type { PanelProps } from "../panel.ts";
import { columnsOf, type Column } from "./column.ts";
import { Heads } from "./heads.tsx";
import { metricCsv, metricRows, orderOf, type MetricCell, type MetricRow } from "./metric-table.ts";
import {
  comparedStats,
  metricParameters,
  readMetricView,
  type ComparedStat,
  type Direction,
  type MetricView,
} from "./metric-view.ts";
import { Missing } from "./missing.tsx";
import { SaveCsv } from "./save-csv.tsx";
import { useDifference } from "./use-difference.ts";

/** What the metrics came to, each as a number and as the difference to the reference. */
export function MetricPanel({ service, location, compared }: PanelProps) {
  const view = readMetricView((name) => location.parameter(name));
  const { reply, problem } = useDifference(service, compared, {
    keysMax: 0,
    metricText: view.text,
  });
  const columns = useMemo(
    () => reply && columnsOf(reply, compared, orderOf(reply, view.order)),
    [reply, compared, location.parameter("by")],
  );
  const change = (changed: Partial<MetricView>) =>
    location.change(metricParameters({ ...view, ...changed }));
  return (
    <section class="difference" aria-label="Metrics">
      <header>
        <h2>metrics</h2>
        {reply !== undefined && (
          <p class="count" role="status">
            {saidText(reply.metricsFound, reply.metrics.length, reply.behind)}
          </p>
        )}
        <div class="choices">
          <input
            type="search"
            aria-label="Search metrics"
            placeholder="Search metrics"
            value={view.text}
            maxLength={limits.queryCharactersMax}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
          {comparedStats.map((stat) => (
            <button
              key={stat}
              type="button"
              aria-pressed={view.stats.includes(stat)}
              onClick={() => change({ stats: toggled(view.stats, stat) })}
            >
              {stat}
            </button>
          ))}
          {reply !== undefined && columns !== undefined && (
            <SaveCsv name="metrics" rows={() => metricCsv(reply, columns, view.stats)} />
          )}
        </div>
      </header>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {reply === undefined || columns === undefined ? (
        problem === undefined && <p class="count">…</p>
      ) : reply.metrics.length === 0 ? (
        <p class="count">{view.text === "" ? "No metrics yet." : "No metric is called that."}</p>
      ) : (
        <Rows rows={metricRows(reply, columns, view)} {...{ columns, view, change }} />
      )}
    </section>
  );
}

/** The last one stays: a table without numbers says nothing. */
function toggled(stats: readonly ComparedStat[], stat: ComparedStat): readonly ComparedStat[] {
  const others = comparedStats.filter((one) => (one === stat) !== stats.includes(one));
  return others.length > 0 ? others : stats;
}

function saidText(found: number, shown: number, behind: number): string {
  const said = [`${countText(found)} metrics`];
  if (shown < found) said.push(`the first ${countText(shown)} are here: search for others`);
  if (behind > 0) said.push("some are still being counted");
  return said.join(", ");
}

/** So many are laid out at once: more rows come by a button. */
const rowsShown = 80;

interface RowsProps {
  rows: readonly MetricRow[];
  columns: readonly Column[];
  view: MetricView;
  change: (changed: Partial<MetricView>) => void;
}

function Rows({ rows, columns, view, change }: RowsProps) {
  const [most, setMost] = useState(rowsShown);
  const left = rows.length - most;
  // Numbers stand below each other: where one has a step, all leave room for it.
  const hasSteps = view.stats.some((stat) => stat === "min" || stat === "max");
  return (
    <>
      <div class="scrolled" tabIndex={0} role="region" aria-label="Metrics of each experiment">
        <table class="compares measured">
          <thead>
            <tr>
              <th scope="col">metric</th>
              <Heads columns={columns} />
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => (
              <tr key={`${row.metric.name} ${row.stat}`}>
                <th scope="row">
                  <RowHead {...{ row, view, change }} />
                </th>
                {row.cells.map((cell, at) => (
                  <Cell key={columns[at].experimentId} cell={cell} hasSteps={hasSteps} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <button type="button" onClick={() => setMost(most + rowsShown)}>
          {countText(left)} more rows
        </button>
      )}
    </>
  );
}

const next: Record<Direction, Direction> = { least: "most", most: "none", none: "least" };
const signs: Record<Direction, string> = { least: "↓", most: "↑", none: "·" };
const words: Record<Direction, string> = {
  least: "the least is best",
  most: "the most is best",
  none: "none is best",
};

/** A click on the name orders the experiments by this row; another one turns the order round. */
function RowHead({ row, view, change }: Pick<RowsProps, "view" | "change"> & { row: MetricRow }) {
  const { metric, stat, direction } = row;
  const { name } = metric;
  const { order } = view;
  const own = order?.name === name && order.stat === stat ? order : undefined;
  const isOrder = own !== undefined;
  const ordered = () => {
    const descending = direction === "most";
    if (own === undefined) return change({ order: { name, stat, descending } });
    const isTurned = own.descending !== descending;
    return change({ order: isTurned ? undefined : { name, stat, descending: !descending } });
  };
  const choose = () =>
    change({ directions: new Map([...view.directions, [name, next[direction]]]) });
  const way = own && (own.descending ? "descending" : "ascending");
  return (
    <>
      <button
        type="button"
        class="order"
        title={`${name} ${stat}: order the experiments by it`}
        aria-pressed={isOrder}
        onClick={ordered}
      >
        <bdi>{name}</bdi> <small>{stat}</small>
        {way !== undefined && (
          <span role="img" aria-label={way}>
            {way === "descending" ? "▾" : "▴"}
          </span>
        )}
      </button>
      <button
        type="button"
        class="direction"
        title={`${words[direction]}: click for another choice`}
        aria-label={`${name}: ${words[direction]}`}
        onClick={choose}
      >
        {signs[direction]}
      </button>
    </>
  );
}

function Cell({ cell, hasSteps }: { cell: MetricCell; hasSteps: boolean }) {
  const { text, exact, difference, at, isBest } = cell;
  if (text === undefined)
    return (
      <td>
        <Missing />
      </td>
    );
  return (
    <td title={exact} data-best={isBest}>
      {isBest && (
        <span class="best" role="img" aria-label="best:">
          ★
        </span>
      )}
      <span>{text}</span>
      {difference !== undefined && <span class="less">{difference}</span>}
      {hasSteps && <small class="at">{at}</small>}
    </td>
  );
}

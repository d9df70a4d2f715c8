import type { DifferenceReply } from "@lossless/protocol";
import { useMemo } from "preact/hooks";
import { toggled } from "../../../parts/toggled.ts";
import type { Direction } from "../../../parts/directions.ts";
import { NonfiniteSign } from "../../../parts/nonfinite-sign.tsx";
import { countedText, countText } from "../../../parts/words.ts";
import { saidOf } from "../cut-list.ts";
import type { PanelProps } from "../panel.ts";
import { columnsOf, type Column } from "./column.ts";
import { Heads } from "./heads.tsx";
import { metricCsv, metricRows, orderOf, type MetricCell, type MetricRow } from "./metric-table.ts";
import {
  comparedStats,
  metricParameters,
  readMetricView,
  type ComparedStat,
  type MetricView,
} from "./metric-view.ts";
import { MeantFields } from "./meant-fields.tsx";
import { MissingValue } from "./missing.tsx";
import { SaveCsv } from "./save-csv.tsx";
import { TablePanel } from "./table-panel.tsx";
import { TableRows } from "./table-rows.tsx";
import { useDifference } from "./use-difference.ts";

/** Summaries of the metrics, each as a number and as the difference from the reference. */
export function MetricPanel({ service, location, compared }: PanelProps) {
  // The address is ahead of what is drawn when clicks are quick: a change is one of the address.
  const read = () => readMetricView((name) => location.parameter(name));
  const view = read();
  const { reply, problem } = useDifference(service, compared, {
    keysMax: 0,
    metricText: view.text,
  });
  const columns = useMemo(
    () => reply && columnsOf(reply, compared, orderOf(reply, view.order)),
    [reply, compared, location.parameter("by")],
  );
  const change = (changed: Partial<MetricView>) =>
    location.change(metricParameters({ ...read(), ...changed }));
  const known = reply && columns && { reply, columns };
  return (
    <TablePanel
      title="metrics"
      label="Metrics"
      said={reply && saidOf(saidText(reply), compared)}
      problem={problem}
      search={{ label: "Search metrics", text: view.text, onText: (text) => change({ text }) }}
      choices={
        <>
          {comparedStats.map((stat) => (
            <button
              key={stat}
              type="button"
              aria-pressed={view.stats.includes(stat)}
              onClick={() => change({ stats: withOrWithout(read().stats, stat) })}
            >
              {stat}
            </button>
          ))}
          {known && (
            <SaveCsv
              name="metrics"
              rows={() => metricCsv(known.reply, known.columns, view.stats)}
            />
          )}
        </>
      }
    >
      {known &&
        (known.reply.metrics.length === 0 ? (
          <p class="count">
            {view.text === "" ? "No metrics yet." : "No metric matches."}{" "}
            <MeantFields
              {...{ service, text: view.text, kind: "metric" }}
              onText={(text) => change({ text })}
            />
          </p>
        ) : (
          <Rows {...known} {...{ view, change }} />
        ))}
    </TablePanel>
  );
}

/** Adds or removes a statistic; the last one stays, since a table needs numbers. */
function withOrWithout(stats: readonly ComparedStat[], stat: ComparedStat) {
  const chosen = toggled(stats, stat);
  return chosen.length > 0 ? comparedStats.filter((one) => chosen.includes(one)) : stats;
}

function saidText({ metricsFound, metrics, late }: DifferenceReply): string {
  const said = [countedText(metricsFound, "metric")];
  if (metrics.length < metricsFound)
    said.push(`the first ${countText(metrics.length)} are shown, search to find the others`);
  if (late > 0)
    said.push(`the metrics of ${countedText(late, "experiment")} are still being processed`);
  return said.join(", ");
}

interface RowsProps {
  reply: DifferenceReply;
  columns: readonly Column[];
  view: MetricView;
  change: (changed: Partial<MetricView>) => void;
}

function Rows({ reply, columns, view, change }: RowsProps) {
  // Numbers are aligned: if one row has a step, all reserve the space.
  const hasSteps = view.stats.some((stat) => stat === "min" || stat === "max");
  return (
    <TableRows
      rows={metricRows(reply, columns, view)}
      unit="row"
      cells={columns.length + 1}
      label="Metrics of each experiment"
      look="measured"
      heads={
        <>
          <th scope="col">metric</th>
          <Heads columns={columns} />
        </>
      }
      keyOf={({ metric, stat }) => `${metric.name} ${stat}`}
      draw={(row) => (
        <>
          <th scope="row">
            <RowHead {...{ row, view, change }} />
          </th>
          {row.cells.map((cell, at) => (
            <Cell key={columns[at].experimentId} cell={cell} hasSteps={hasSteps} />
          ))}
        </>
      )}
    />
  );
}

const next: Record<Direction, Direction> = { least: "most", most: "none", none: "least" };
const signs: Record<Direction, string> = { least: "↓", most: "↑", none: "·" };
const words: Record<Direction, string> = {
  least: "lower is better",
  most: "higher is better",
  none: "no value is better",
};

/** The head of a row: a click sorts the experiments by it, another one reverses the order. */
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
        title={`${name} ${stat}: sort the experiments by it`}
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
        title={`${words[direction]}. Click to change.`}
        aria-label={`${name}: ${words[direction]}`}
        onClick={choose}
      >
        {signs[direction]}
      </button>
    </>
  );
}

function Cell({ cell, hasSteps }: { cell: MetricCell; hasSteps: boolean }) {
  const { text, exact, difference, at, nonfinite, isBest } = cell;
  if (text === undefined)
    return (
      <td>
        <MissingValue />
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
      <NonfiniteSign count={nonfinite} />
      {difference !== undefined && <span class="less">{difference}</span>}
      {hasSteps && <small class="at">{at}</small>}
    </td>
  );
}

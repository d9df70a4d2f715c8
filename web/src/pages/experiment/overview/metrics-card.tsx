import { limits } from "@lossless/client";
import type { ComparedSummary, DifferenceBody } from "@lossless/protocol";
import { useMemo } from "preact/hooks";
import { listText } from "../../../chart/view.ts";
import { CutName } from "../../../parts/cut-name.tsx";
import { NonfiniteSign } from "../../../parts/nonfinite-sign.tsx";
import { useRowPixels } from "../../../parts/row-pixels.ts";
import { useVisibleRows } from "../../../parts/visible-rows.ts";
import { countText } from "../../../parts/words.ts";
import { useFollowed } from "../../compare/use-followed.ts";
import { behindMs } from "../../experiments/catch-up.ts";
import { numberText } from "../../experiments/cell-text.ts";
import { tabAddress } from "../tabs.ts";
import { Card } from "./card.tsx";
import {
  metricLines,
  orderAfter,
  orderOf,
  type MetricLine,
  type MetricOrder,
  type Stat,
} from "./metric-order.ts";
import type { OverviewProps } from "./overview-props.ts";

/** Metrics from which there is a search. */
const searchedFrom = 9;
/** Metrics of which a reply has megabytes: so many are read again less often. */
const manyMetrics = 1_000;
const restOfManyMs = 30_000;

type Props = Pick<OverviewProps, "service" | "location" | "record" | "state" | "hasSeries">;

/** The last, least and largest value of each metric. */
export function MetricsCard({ service, location, record, state, hasSeries }: Props) {
  const { experimentId } = record;
  const body: DifferenceBody = {
    experimentIds: [experimentId],
    keysMax: 0,
    metricsMax: limits.differenceSummariesMax,
  };
  const { reply, problem } = useFollowed(
    { experiments: [state] },
    JSON.stringify(body),
    (_, stopped) => service.client.views.difference(body, stopped),
    (last) => (last.metrics.length > manyMetrics ? restOfManyMs : behindMs),
  );
  const wanted = location.parameter("m") ?? "";
  const order = orderOf(location.parameter("sort"));
  const lines = useMemo(
    () => reply && metricLines(reply.metrics, wanted, order),
    [reply, wanted, location.parameter("sort")],
  );
  if (reply?.metrics.length === 0 || (reply === undefined && !hasSeries)) return null;
  return (
    <Card
      title="Metrics"
      count={reply && countText(reply.metricsFound)}
      actions={
        ((reply?.metrics.length ?? 0) >= searchedFrom || wanted !== "") && (
          <input
            type="search"
            aria-label="Search metrics"
            aria-keyshortcuts="/"
            placeholder="Search metrics"
            value={wanted}
            onInput={({ currentTarget: { value } }) =>
              location.change({ m: value, tab: "overview" })
            }
          />
        )
      }
    >
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {lines === undefined ? (
        problem === undefined && <p class="count">…</p>
      ) : lines.length === 0 ? (
        <p class="count">No metric matches.</p>
      ) : (
        <MetricTable
          {...{ experimentId, lines, order }}
          onOrder={(stat) =>
            location.change({ sort: orderAfter(order, stat), tab: "overview" }, true)
          }
        />
      )}
      {reply !== undefined && reply.metrics.length < reply.metricsFound && (
        <p class="count">
          Only the first {countText(reply.metrics.length)} by name are listed. The charts show all.
        </p>
      )}
    </Card>
  );
}

/** The heights of lines in overview.css: on a narrow screen a line has three. */
const lineRem = 2;
const narrowLineRem = 3.75;
const heads: Readonly<Record<Stat, string>> = { last: "last", min: "min", max: "max" };

interface TableProps {
  experimentId: string;
  lines: readonly MetricLine[];
  order: MetricOrder;
  onOrder: (stat: Stat) => void;
}

/** Only the lines near the screen are drawn. */
function MetricTable({ experimentId, lines, order, onOrder }: TableProps) {
  const linePixels = useRowPixels(lineRem, narrowLineRem);
  const { container, first, last, before, after } = useVisibleRows(lines.length, linePixels);
  return (
    <div
      class="metric-lines"
      ref={container}
      tabIndex={0}
      role="region"
      aria-label="Last, smallest and largest values"
    >
      <table role="table" aria-label="Metrics" aria-rowcount={lines.length + 1}>
        {/* Roles are explicit, because rows are blocks on a narrow screen. */}
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            <th role="columnheader" scope="col">
              metric
            </th>
            {(["last", "min", "max"] as const).map((stat) => (
              <Head key={stat} {...{ stat, order, onOrder }} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {before > 0 && <tr aria-hidden="true" style={{ height: `${before}px` }} />}
          {lines.slice(first, last).map(({ name, summary }, at) => (
            <tr key={name} role="row" aria-rowindex={first + at + 2}>
              <th role="rowheader" scope="row">
                <a
                  href={tabAddress(experimentId, "charts", { pin: listText([name]) })}
                  title={`${name}: show its chart`}
                  aria-label={name}
                >
                  <CutName name={name} />
                </a>
              </th>
              <Value name={name} value={summary?.last} nonfinite={summary?.nonfinite} />
              <Value name={name} value={summary?.min} step={summary?.minStep} />
              <Value name={name} value={summary?.max} step={summary?.maxStep} />
            </tr>
          ))}
          {after > 0 && <tr aria-hidden="true" style={{ height: `${after}px` }} />}
        </tbody>
      </table>
    </div>
  );
}

function Head({ stat, order, onOrder }: Pick<TableProps, "order" | "onOrder"> & { stat: Stat }) {
  const isOrder = order?.stat === stat;
  const way = order?.isDescending === true ? "descending" : "ascending";
  return (
    <th role="columnheader" scope="col" aria-sort={isOrder ? way : "none"}>
      <button type="button" class="sort" onClick={() => onOrder(stat)}>
        {heads[stat]}{" "}
        <span aria-hidden="true">{!isOrder ? "" : way === "ascending" ? "▴" : "▾"}</span>
      </button>
    </th>
  );
}

interface ValueProps {
  name: string;
  value: ComparedSummary["last"] | null | undefined;
  step?: number | null | undefined;
  nonfinite?: number | undefined;
}

function Value({ name, value, step, nonfinite }: ValueProps) {
  if (value === null || value === undefined)
    return (
      <td role="cell" class="missing">
        –
      </td>
    );
  return (
    <td role="cell" title={String(value)}>
      <NonfiniteSign count={nonfinite} />
      {numberText(value, name)}{" "}
      {step !== null && step !== undefined && <small class="at">step {countText(step)}</small>}
    </td>
  );
}

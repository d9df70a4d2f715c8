import type { ChartBlock, SeriesOperator } from "@lossless/protocol";
import { useMemo } from "preact/hooks";
import { viewOf } from "../../chart/view.ts";
import { Labelled } from "../../parts/labelled.tsx";
import type { Service } from "../../signed-in.ts";
import { MetricsField } from "../../workspace/arranged/metrics-field.tsx";
import { OperatorField } from "../../workspace/arranged/operator-field.tsx";
import { OwnAxes } from "../../workspace/arranged/own-axes.tsx";
import { namesOfAll } from "../compare/series-of-all.ts";
import { useCompared, type ComparedExperiment } from "../compare/use-compared.ts";
import { useSeries } from "../compare/use-series.ts";
import { defaultSort } from "../experiments/table-address.ts";
import { askedBy } from "./chart-block.ts";
import { ChosenRuns } from "./chosen-runs.tsx";
import { FolderField } from "./folder-field.tsx";
import type { ReportBoard } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  block: ChartBlock;
  onChange: (block: ChartBlock) => void;
}

/** Fields of a chart in a report: its data, and its appearance. */
export function ChartFields({ service, board, block, onChange }: Props) {
  const { seriesName, otherSeriesNames = [] } = block;
  const { compared } = useCompared(service, askedBy(block));
  const experiments = compared?.experiments ?? [];
  const series = useSeries(service, experiments);
  const names = useMemo(
    () => (series === undefined ? [] : namesOfAll(experiments, series)),
    [experiments, series],
  );
  const chosen = [seriesName, ...otherSeriesNames].filter((name) => name !== "");
  return (
    <div class="block-fields">
      <Labelled label="Title">
        <input
          value={block.title}
          placeholder={seriesName}
          maxLength={128}
          onInput={(event) => onChange({ ...block, title: event.currentTarget.value })}
        />
      </Labelled>
      <RunFields {...{ service, board, block, onChange, experiments }} />
      <div class="whole">
        <MetricsField
          legend="Metrics"
          names={names}
          chosen={chosen}
          hasPatterns={false}
          onChange={(next) => onChange(withSeries(block, next, block.operator))}
        />
        <OperatorField
          chosen={chosen}
          operator={block.operator}
          onChange={(next, operator) => onChange(withSeries(block, next, operator))}
        />
        <OwnAxes
          names={names}
          view={viewOf(() => undefined)}
          own={block.view}
          unset="usual"
          onChange={(view) => onChange({ ...block, view })}
        />
        <details>
          <summary>Axes and view as text</summary>
          <Labelled label="View (the part after ? of a page's address)">
            <input
              value={block.view}
              placeholder="x=elapsed&s=ema:0.99"
              onChange={(event) => onChange({ ...block, view: queryOf(event.currentTarget.value) })}
            />
          </Labelled>
        </details>
      </div>
    </div>
  );
}

interface RunProps extends Props {
  /** Those that the block has now. */
  experiments: readonly ComparedExperiment[];
}

/** The experiments of a chart, and the one whose marks are shown below it. */
function RunFields({ service, board, block, onChange, experiments }: RunProps) {
  const { experimentIds } = block;
  const drawn = unnamed(block);
  return (
    <>
      <Labelled label="Experiments">
        <select
          value={experimentIds === undefined ? "query" : "ids"}
          onChange={(event) =>
            onChange(
              event.currentTarget.value === "ids"
                ? { ...drawn, experimentIds: experiments.map((one) => one.experimentId) }
                : { ...drawn, query: "" },
            )
          }
        >
          <option value="query">found by a query (live)</option>
          <option value="ids">chosen one by one</option>
        </select>
      </Labelled>
      {experimentIds === undefined ? (
        <LiveFields {...{ service, board, block, onChange }} />
      ) : (
        <ChosenRuns
          {...{ service, known: experiments }}
          ids={experimentIds}
          onChange={(ids) => onChange({ ...drawn, experimentIds: ids })}
        />
      )}
      <Labelled label="Marks below it are of">
        <select
          value={block.referenceId ?? ""}
          onChange={(event) => {
            const { referenceId: _, ...rest } = block;
            const referenceId = event.currentTarget.value;
            onChange(referenceId === "" ? rest : { ...rest, referenceId });
          }}
        >
          <option value="">the first experiment</option>
          {experiments.map(({ experimentId, slug, name }) => (
            <option key={experimentId} value={experimentId}>
              {name ?? slug}
            </option>
          ))}
        </select>
      </Labelled>
    </>
  );
}

/** Only two series are combined. */
function withSeries(
  block: ChartBlock,
  [first = "", ...others]: readonly string[],
  operator: SeriesOperator | undefined,
): ChartBlock {
  const { otherSeriesNames: _names, operator: _operator, ...rest } = block;
  return {
    ...rest,
    seriesName: first,
    ...(others.length > 0 && { otherSeriesNames: others }),
    ...(others.length === 1 && operator !== undefined && { operator }),
  };
}

/** A block without its experiments and the time of pinning. */
function unnamed(block: ChartBlock): ChartBlock {
  const { experimentIds: _ids, query: _query, folderId: _folder, sort: _sort, ...rest } = block;
  const { pinned: _pinned, ...drawn } = rest;
  return drawn;
}

interface Live {
  query: string;
  folderId: string | undefined;
  sort: string | undefined;
}

function LiveFields({ service, board, block, onChange }: Props) {
  const live: Live = { query: block.query ?? "", folderId: block.folderId, sort: block.sort };
  const change = (part: Partial<Live>) => {
    const { query, folderId, sort } = { ...live, ...part };
    const where = folderId !== undefined && { folderId };
    onChange({ ...unnamed(block), query, ...where, ...(sort !== undefined && { sort }) });
  };
  return (
    <>
      <Labelled label="Query">
        <input
          value={live.query}
          onInput={(event) => change({ query: event.currentTarget.value })}
        />
      </Labelled>
      <Labelled label="Sort by; the first hundred are drawn">
        <input
          value={live.sort ?? ""}
          placeholder={defaultSort}
          onChange={(event) => change({ sort: event.currentTarget.value.trim() || undefined })}
        />
      </Labelled>
      <FolderField
        {...{ service, board, folderId: live.folderId }}
        onChoose={(folderId) => change({ folderId })}
      />
    </>
  );
}

/** The query in a text, which may be a whole pasted address. */
function queryOf(text: string): string {
  const at = text.indexOf("?");
  return (at < 0 ? text : text.slice(at + 1)).trim();
}

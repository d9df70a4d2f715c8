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
import { sectionsByName } from "../experiment/sections.ts";
import { askedBy } from "./chart-block.ts";
import { withIds, withLive } from "./chosen-block.ts";
import { ChosenRuns } from "./chosen-runs.tsx";
import { GroupField } from "./group-field.tsx";
import { LiveFields } from "./live-fields.tsx";
import { useFirst } from "./use-first.ts";
import { MoreSettings } from "./more-settings.tsx";
import { chartWords } from "./set-words.ts";
import type { ReportBoard } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  block: ChartBlock;
  /** The block as it is drawn meanwhile, with the last query that can be read. */
  drawn: ChartBlock;
  /** Whether it was made just now: then it begins with the first metric. */
  isNew: boolean;
  onFirst: (seriesName: string) => void;
  onChange: (block: ChartBlock) => void;
}

/** Fields of a chart in a report: its experiments, metrics, groups and title; the rest opens. */
export function ChartFields(props: Props) {
  const { service, board, block, drawn, isNew, onFirst, onChange } = props;
  const { seriesName, otherSeriesNames = [] } = block;
  const { compared } = useCompared(service, askedBy(drawn));
  const experiments = compared?.experiments ?? [];
  const series = useSeries(service, experiments);
  const names = useMemo(
    () => (series === undefined ? [] : goalsBeforeOthers(namesOfAll(experiments, series))),
    [experiments, series],
  );
  const chosen = [seriesName, ...otherSeriesNames].filter((name) => name !== "");
  useFirst(isNew && seriesName === "", names[0], onFirst);
  return (
    <div class="block-fields">
      <ChosenRuns
        {...{ service, board, folderId: block.folderId, known: experiments }}
        ids={block.experimentIds}
        onChange={(experimentIds) => onChange(withIds(block, experimentIds))}
        query={{
          text: block.query ?? "",
          onChange: (query) => onChange(withLive(block, { query })),
        }}
      />
      <Labelled label="Title">
        <input
          value={block.title}
          placeholder={seriesName}
          maxLength={128}
          onInput={(event) => onChange({ ...block, title: event.currentTarget.value })}
        />
      </Labelled>
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
      </div>
      {compared && (
        <div class="whole">
          <GroupField {...{ service, block, compared, series, onChange }} />
        </div>
      )}
      <MoreFields {...{ service, board, block, onChange, experiments, names }} />
    </div>
  );
}

/** As on the pages of charts: losses and accuracies first, metrics of the machine last. */
function goalsBeforeOthers(names: readonly string[]): string[] {
  return sectionsByName(names, true).flatMap(({ series }) => series);
}

interface MoreProps extends Omit<Props, "drawn" | "isNew" | "onFirst"> {
  /** Those that the block has now. */
  experiments: readonly ComparedExperiment[];
  /** Their metrics. */
  names: readonly string[];
}

/** Where and in which order experiments are found, whose marks are shown, and the axes. */
function MoreFields(props: MoreProps) {
  const { service, board, block, onChange, experiments, names } = props;
  const nameOf = (id: string) => {
    const found = experiments.find(({ experimentId }) => experimentId === id);
    return found?.name ?? found?.slug ?? "another experiment";
  };
  return (
    <MoreSettings set={chartWords(block, nameOf)}>
      {block.experimentIds === undefined && (
        <LiveFields
          {...{ service, board, block, onChange }}
          label="Sort by; the first hundred are drawn"
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
          {experiments.map(({ experimentId }) => (
            <option key={experimentId} value={experimentId}>
              {nameOf(experimentId)}
            </option>
          ))}
        </select>
      </Labelled>
      <div class="whole">
        <OwnAxes
          names={names}
          view={viewOf(() => undefined)}
          own={block.view}
          unset="usual"
          onChange={(view) => onChange({ ...block, view })}
        />
        <Labelled label="Axes and view as text (the part after ? of a page's address)">
          <input
            value={block.view}
            placeholder="x=elapsed&s=ema:0.99"
            onChange={(event) => onChange({ ...block, view: queryOf(event.currentTarget.value) })}
          />
        </Labelled>
      </div>
    </MoreSettings>
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

/** The query in a text, which may be a whole pasted address. */
function queryOf(text: string): string {
  const at = text.indexOf("?");
  return (at < 0 ? text : text.slice(at + 1)).trim();
}

import type { LoggedNearestReply, MediaBlock } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { FileQueue } from "../../media/file-queue.ts";
import { Item } from "../../media/items/item.tsx";
import { useIsWhole } from "../../media/use-near.ts";
import { FilesContext, type PictureSize } from "../../media/use-file.ts";
import { useRead } from "../../parts/use-read.ts";
import { countedText, countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { type ComparedExperiment, useCompared } from "../compare/use-compared.ts";
import { useFolderPath } from "../experiment/folder-path.ts";
import { askedBy } from "./chart-block.ts";
import { foundWords } from "./chosen-block.ts";
import type { ReportBoard } from "./report-board.tsx";

interface Props {
  service: Service;
  board: ReportBoard;
  block: MediaBlock;
}

/** Pictures, tables and the like that experiments have logged, at one step. */
export function ReportMedia({ service, board, block }: Props) {
  const { media, name, step, title } = block;
  const likely = useSignal<PictureSize | undefined>(undefined);
  const files = useMemo(
    () => ({ service, queue: new FileQueue(), rowsAtOnce: rowsAtFirst, likely }),
    [service],
  );
  const series = [{ kind: media, name }];
  const folder = useFolderPath(block.folderId ?? null, () => board.folders(service));
  const { compared, refusal } = useCompared(service, askedBy(block));
  const runs = runsOf(block, compared?.experiments ?? []);
  const experimentIds = runs.map(({ experimentId }) => experimentId);
  const isChosen = block.experimentIds?.length !== 0 && name !== "";
  const { found, problem = refusal } = useRead(
    async (stopped) => {
      if (!isChosen || experimentIds.length === 0) return undefined;
      const body = { experimentIds, series, step: step ?? limits.stepMax };
      return service.client.logged.nearest(body, stopped);
    },
    [experimentIds, media, name, step],
  );
  const items = found?.items ?? [];
  const isRead = found !== undefined || (compared !== undefined && runs.length === 0);
  const isWaiting = isChosen && !isRead && problem === undefined;
  const shown = runs.filter((run) => items.some((item) => item.experimentId === run.experimentId));
  return (
    <FilesContext.Provider value={files}>
      <div class="report-media" data-waiting={isWaiting ? "" : undefined}>
        <h3>{title || name || "media"}</h3>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {!isChosen && <p>Choose experiments and what they logged.</p>}
        {isChosen && isRead && items.length === 0 && (
          <p>
            {runs.length === 0
              ? "No experiments are found."
              : "The experiments have logged nothing under this name."}
          </p>
        )}
        <Runs {...{ runs: shown, series: series[0], items }} />
        {isChosen && found !== undefined && (
          <p class="below">
            {[
              ...liveWords(
                block,
                runs.length,
                compared?.cut?.of ?? compared?.experiments.length,
                folder,
              ),
              ...(shown.length > 0 && shown.length < runs.length
                ? [
                    `${countText(runs.length - shown.length)} of them logged nothing under this name`,
                  ]
                : []),
            ].join(" · ")}
          </p>
        )}
      </div>
    </FilesContext.Provider>
  );
}

/** A block is as tall as what it shows: rows of a table, experiments and their items at first. */
const [rowsAtFirst, runsAtFirst, itemsAtFirst] = [10, 12, 8];

/** Items of a block on paper and in a file at most. */
const wholeItemsMax = 200;

interface RunsProps {
  runs: readonly ComparedExperiment[];
  series: Pick<MediaBlock, "name"> & { kind: MediaBlock["media"] };
  items: LoggedNearestReply["items"];
}

function Runs({ runs, series, items }: RunsProps) {
  const [isOpened, setIsOpened] = useState(false);
  const isWhole = useIsWhole();
  const kept = isWhole ? items.slice(0, wholeItemsMax) : items;
  const shown = isOpened || isWhole ? runs : runs.slice(0, runsAtFirst);
  return (
    <>
      <div class="runs" data-kind={series.kind}>
        {shown.map((run) => {
          const own = kept.filter(({ experimentId }) => experimentId === run.experimentId);
          if (own.length === 0) return null;
          return <Run key={run.experimentId} {...{ run, series }} items={own} />;
        })}
      </div>
      {kept.length < items.length && (
        <p class="below" data-left-out="">
          only the first {countText(kept.length)} of {countText(items.length)} are here
        </p>
      )}
      {shown.length < runs.length && (
        <button type="button" onClick={() => setIsOpened(true)}>
          show all {countText(runs.length)} experiments
        </button>
      )}
    </>
  );
}

function Run({
  run: { experimentId, name, slug },
  series,
  items,
}: Omit<RunsProps, "runs"> & { run: ComparedExperiment }) {
  const [isOpened, setIsOpened] = useState(false);
  const isWhole = useIsWhole();
  const shown = isOpened || isWhole ? items : items.slice(0, itemsAtFirst);
  return (
    <section>
      <p class="below">
        <a href={`/experiments/${experimentId}`}>{name ?? slug}</a>, step&nbsp;
        {countText(items[0].step)}
      </p>
      <div class="items">
        {shown.map((item, at) => (
          <Item key={at} series={series} item={item} of={items.length} />
        ))}
      </div>
      {shown.length < items.length && (
        <button type="button" onClick={() => setIsOpened(true)}>
          show all {countText(items.length)}
        </button>
      )}
    </section>
  );
}

/** The chosen experiments, or the first ones that the query finds. */
function runsOf(
  { experimentIds, limit = limits.reportMediaRunsUsual }: MediaBlock,
  found: readonly ComparedExperiment[],
): readonly ComparedExperiment[] {
  return experimentIds === undefined ? found.slice(0, limit) : found;
}

/** Says what a query finds, and how many of that are shown. */
function liveWords(block: MediaBlock, shown: number, of = shown, folder: string): string[] {
  if (block.experimentIds !== undefined) return [];
  const count =
    shown < of ? `the first ${countText(shown)} of ${countedText(of, "experiment")}` : "";
  return [count, `live: ${foundWords(block, folder)}`].filter(Boolean);
}

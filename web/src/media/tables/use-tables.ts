import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { bytesText, countText } from "../../parts/words.ts";
import type { MediaItem } from "../logged-series.ts";
import type { MediaExperiment } from "../media-experiment.ts";
import type { SeriesItems } from "../nearest-items.ts";
import { tableOf } from "../plots/table-json.ts";
import { FilesContext, isShown, problemOf, shownFileBytesMax, wantedFile } from "../use-file.ts";
import { withChecksums } from "./cell-checksums.ts";
import { cellsMax, columnNames, type RunTable } from "./sheet.ts";

/** Tables put together at most, and bytes of them: a page has them all in memory. */
const [tablesMax, bytesMax] = [16, 32 * 1_048_576];

export interface ReadTables {
  /** Undefined until they are read. */
  tables?: readonly RunTable[];
  /** Sentences about tables that are not among them. */
  missing: readonly string[];
  isCurrent: boolean;
}

/** Reads the tables that experiments logged, to show them as one. */
export function useTables(
  experiments: readonly MediaExperiment[],
  items: SeriesItems | undefined,
): ReadTables {
  const { service, queue } = useContext(FilesContext)!;
  const { chosen, missing } = chosenTables(experiments, items);
  const key = JSON.stringify(chosen.map(({ item, name }) => [item.file, name]));
  const [read, setRead] = useState<Read>();
  useLayoutEffect(() => {
    const stopped = new AbortController();
    const problems: string[] = [];
    const readOne = async ({ experimentId, name, item }: Chosen): Promise<RunTable[]> => {
      const file = item.file!;
      try {
        const bytes = await queue.read(wantedFile(service, file), stopped.signal);
        if (bytes === undefined) return [];
        const table = tableOf(parsed(bytes));
        if (table === undefined) throw new Error("The file is no table.");
        const columns = columnNames(table.columns);
        // One table alone is compared with none.
        const isCompared = chosen.length > 1;
        const own = isCompared ? await withChecksums(service, file, table, stopped.signal) : table;
        return [{ experimentId, name, step: item.step, file, table: own, columns }];
      } catch (error) {
        problems.push(`${name}: ${problemOf(error)}`);
        return [];
      }
    };
    void Promise.all(chosen.map(readOne)).then((tables) => {
      if (!stopped.signal.aborted) setRead({ key, problems, ...withinCells(tables.flat()) });
    });
    return () => stopped.abort();
  }, [key]);
  if (read === undefined) return { missing, isCurrent: false };
  const { tables, problems, beyond } = read;
  return { tables, missing: [...missing, ...problems, ...beyond], isCurrent: read.key === key };
}

interface Read {
  key: string;
  tables: RunTable[];
  problems: string[];
  /** A sentence about tables with too many cells. */
  beyond: string[];
}

/** As many tables as their cells allow, and a sentence about the others. */
function withinCells(all: readonly RunTable[]): Pick<Read, "tables" | "beyond"> {
  const tables: RunTable[] = [];
  const beyond: string[] = [];
  let cells = 0;
  for (const one of all) {
    const own = one.table.rows.length * one.columns.length;
    if (tables.length > 0 && cells + own > cellsMax) {
      beyond.push(one.name);
      continue;
    }
    cells += own;
    tables.push(one);
  }
  if (beyond.length === 0) return { tables, beyond };
  const are = beyond.length === 1 ? "is" : "are";
  const sentence = `${beyond.join(", ")} ${are} not here: at most ${countText(cellsMax)} cells are put together.`;
  return { tables, beyond: [sentence] };
}

interface Chosen {
  experimentId: string;
  name: string;
  item: MediaItem;
}

/** The table of each experiment, as many as are put together, and sentences about the others. */
function chosenTables(experiments: readonly MediaExperiment[], items: SeriesItems | undefined) {
  const missing: string[] = [];
  const chosen: Chosen[] = [];
  let bytes = 0;
  let beyond = 0;
  for (const { experimentId, name } of experiments) {
    const [item, ...others] = items?.byExperiment.get(experimentId) ?? [];
    if (item?.file === undefined) continue;
    const own = item.file.bytes ?? 0;
    if (!isShown(item.file)) {
      missing.push(`${name}: tables are shown up to ${bytesText(shownFileBytesMax)}.`);
    } else if (chosen.length === tablesMax || bytes + own > bytesMax) {
      beyond++;
    } else {
      bytes += own;
      chosen.push({ experimentId, name, item });
      if (others.length > 0)
        missing.push(`${name}: the first of ${countText(others.length + 1)} tables of this step.`);
    }
  }
  if (beyond > 0)
    missing.push(
      `The first ${chosen.length} runs are here, ${countText(beyond)} more are not: at most ${tablesMax} tables of together ${bytesText(bytesMax)} are read.`,
    );
  return { chosen, missing };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    throw new Error("The file is not JSON.");
  }
}

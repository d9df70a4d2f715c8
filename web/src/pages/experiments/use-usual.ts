import type { TableReply } from "@lossless/protocol";
import { useEffect, useRef } from "preact/hooks";
import { useShown } from "../../parts/use-shown.ts";
import type { Service } from "../../signed-in.ts";
import { offeredFields, offeredShown } from "./offered-columns.ts";
import { decidingRows, readUsual, type Usual } from "./read-usual.ts";
import { defaultColumns } from "./table-address.ts";
import type { AskFields } from "../../query/use-completions.ts";
import type { TableQuestion } from "./use-table.ts";
import { withWritten, type WrittenMetas } from "./written-metas.ts";

/** Experiments up to which the first config may still come. */
const fewRuns = 20;

/**
 * The usual columns; undefined until names are known, or where others are chosen. As long as no
 * name is a loss, names are read again with each reply of the table: the very first run has no
 * losses at first.
 */
export function useUsual(
  service: Service,
  isUsual: boolean,
  ask: AskFields,
  reply: TableReply | undefined,
): Usual | undefined {
  const [usual, setUsual] = useShown<Usual>(service, "usual columns");
  const isOpen = isUsual && (usual === undefined || lacksNames(usual, reply));
  useEffect(() => {
    if (!isOpen) return;
    const stopped = new AbortController();
    const look = async () => {
      const next = await readUsual(ask, stopped.signal);
      if (!stopped.signal.aborted && JSON.stringify(next) !== JSON.stringify(usual)) setUsual(next);
    };
    void look();
    return () => stopped.abort();
  }, [ask, isOpen, reply]);
  return isUsual ? usual : undefined;
}

function lacksNames({ columns, offered }: Usual, reply: TableReply | undefined): boolean {
  if (columns.length === defaultColumns.length) return true;
  return offered.keys.length === 0 && (reply?.total ?? 0) <= fewRuns;
}

/**
 * The offered columns that are shown. The first reply to a query decides, so that no column comes
 * or goes while somebody reads or sorts; tags come with the first row that has some, and keys with
 * the second run.
 */
export function useOfferedShown(
  shown: TableQuestion | undefined,
  written: WrittenMetas,
): readonly string[] {
  const decided = useRef<{ key: string; fields: readonly string[] }>(undefined);
  if (shown?.question.offered === undefined) return [];
  const { body, offered } = shown.question;
  const { columns = [], query, folderId } = body;
  const all = [...withWritten(shown.pages.rows.value, written, columns)];
  const rows = all.map(([, row]) => row);
  const first = all.flatMap(([place, row]) => (place < decidingRows ? [row] : []));
  const key = JSON.stringify([query, folderId, offered]);
  const before = decided.current?.key === key ? decided.current.fields : [];
  const next = offeredShown(offered, { rows, first, fields: columns });
  const isDecided = before.some((field) => field !== "tag");
  const added = next.filter((field) => field === "tag" || !isDecided);
  const fields = offeredFields(offered).filter((one) => [...before, ...added].includes(one));
  if (rows.length > 0) decided.current = { key, fields };
  return fields;
}

import type { TableBlock, TableReply, TableRow } from "@lossless/protocol";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";
import { useEffect, useMemo, useState } from "preact/hooks";
import { CutName } from "../../parts/cut-name.tsx";
import { TagChip } from "../../parts/tag-chip.tsx";
import { ListedNames } from "../../parts/listed-names.ts";
import { countedText, countText, messageOf, statusSigns } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { useFolderPath } from "../experiment/folder-path.ts";
import { NonfiniteSign } from "../../parts/nonfinite-sign.tsx";
import { cellOf, tagsOf } from "../experiments/cell-text.ts";
import { type Column, columnOf, columnsOf } from "../experiments/columns.ts";
import type { ReportBoard } from "./report-board.tsx";

/** Milliseconds without typing before columns and order are sent. */
const pauseMs = 300;

interface Props {
  service: Service;
  board: ReportBoard;
  block: TableBlock;
}

/** The first rows that a query finds at present. */
export function ReportTable({ service, board, block }: Props) {
  const folder = useFolderPath(block.folderId ?? null, () => board.folders(service));
  const { found, problem } = useRows(service, block);
  const rows = found?.reply.rows;
  const names = useMemo(
    () => new ListedNames((rows ?? []).map(({ name, slug }) => name ?? slug)),
    [rows],
  );
  if (found === undefined && problem !== undefined) return <p role="alert">{problem}</p>;
  if (found === undefined) return <p data-waiting="">Loading experiments …</p>;
  const { reply, columns, atMs } = found;
  const kinds = columnsOf(columns).filter(({ field }) => columns.includes(field));
  return (
    <div class="wide found-table" tabIndex={0} role="group" aria-label="Experiments">
      <table>
        <thead>
          <tr>
            <th>experiment</th>
            {columns.map((column, at) => {
              const isNumber = reply.rows.some(({ values }) => typeof values[at] === "number");
              return (
                <th key={column} class={isNumber ? "right" : undefined} {...onPaper(at)}>
                  <bdi>{titleOf(column)}</bdi>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {reply.rows.map((row) => (
            <Row key={row.experimentId} {...{ row, names, columns, kinds, atMs }} />
          ))}
        </tbody>
      </table>
      <p class="below">
        {reply.rows.length < reply.total && `the first ${countText(reply.rows.length)} of `}
        {countedText(reply.total, "experiment")}
        {block.folderId !== undefined && ` in ${folder || "a folder"}`}
        {problem !== undefined && <span role="alert"> {problem}</span>}
      </p>
      {columns.length > paperColumnsMax && (
        <p class="below on-paper">
          Not on paper, which has room for {countText(paperColumnsMax)} columns:{" "}
          {columns.slice(paperColumnsMax).map(titleOf).join(", ")}.
        </p>
      )}
    </div>
  );
}

/** Columns that are still read on A4. */
const paperColumnsMax = 14;

/** Marks the cells of a column that has no room on paper. */
function onPaper(at: number): { "data-off-paper"?: "" } {
  return at < paperColumnsMax ? {} : { "data-off-paper": "" };
}

interface RowProps {
  row: TableRow;
  names: ListedNames;
  columns: readonly string[];
  kinds: readonly Column[];
  atMs: number;
}

function Row({ row, names, columns, kinds, atMs }: RowProps) {
  const name = row.name ?? row.slug;
  return (
    <tr>
      <td>
        <a href={`/experiments/${row.experimentId}`} title={name} aria-label={name}>
          <CutName name={name} names={names} />
        </a>
      </td>
      {columns.map((column, at) => (
        <td
          key={column}
          class={typeof row.values[at] === "number" ? "right" : undefined}
          {...onPaper(at)}
        >
          <Content column={kinds.find(({ field }) => field === column)} {...{ row, at, atMs }} />
        </td>
      ))}
    </tr>
  );
}

interface ContentProps {
  /** Undefined: the text is no column. */
  column: Column | undefined;
  row: TableRow;
  at: number;
  atMs: number;
}

/** A cell as in the table of experiments. */
function Content({ column, row, at, atMs }: ContentProps) {
  const value = row.values[at];
  if (column === undefined) return <>{String(value ?? "–")}</>;
  if (column.field === "status")
    return (
      <span class={`status ${row.status}`}>
        <span aria-hidden="true">{statusSigns[row.status]}</span> {row.status}
      </span>
    );
  const tags = tagsOf(column, value);
  if (tags !== undefined && tags.length > 0)
    return (
      <span class="tags">
        {tags.map((tag) => (
          <TagChip key={tag} tag={tag} />
        ))}
      </span>
    );
  const { text, title } = cellOf(column, tags?.length === 0 ? null : value, atMs);
  return (
    <>
      <NonfiniteSign count={row.nonfinite?.[at]} />
      <bdi title={title}>{text}</bdi>
    </>
  );
}

/** The rows of a block; the last ones stay until others are read. */
function useRows(service: Service, block: TableBlock) {
  const [found, setFound] = useState<{ reply: TableReply; columns: string[]; atMs: number }>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () => {
      const columns = parseColumns(block.columns);
      const sort = parseSort(block.sort);
      const query = block.query.trim();
      const { folderId } = block;
      const where = { ...(query !== "" && { query }), ...(folderId !== undefined && { folderId }) };
      const order = sort.length > 0 && { sort };
      const asked = { ...where, ...order, columns, limit: block.limit };
      const reply = await service.client.views.experiments(asked, stopped.signal);
      setFound({ reply, columns, atMs: Date.now() });
      setProblem(undefined);
    };
    const timer = setTimeout(
      () =>
        void read().catch((error: unknown) => {
          if (!stopped.signal.aborted) setProblem(messageOf(error));
        }),
      found === undefined ? 0 : pauseMs,
    );
    return () => (stopped.abort(), clearTimeout(timer));
  }, [service, JSON.stringify(block)]);
  return { found, problem };
}

/** The column's title in the table of experiments. */
function titleOf(field: string): string {
  const column = columnOf(field);
  return column === undefined ? field : `${column.title} ${column.detail}`.trim();
}

import type { TableBlock, TableReply } from "@lossless/protocol";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";
import { useEffect, useState } from "preact/hooks";
import { countedText, countText, messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { useFolderPath } from "../experiment/folder-path.ts";
import { NonfiniteSign } from "../../parts/nonfinite-sign.tsx";
import { cellOf } from "../experiments/cell-text.ts";
import { columnOf, columnsOf } from "../experiments/columns.ts";
import type { ReportBoard } from "./report-board.tsx";

/** Milliseconds without typing before the query is sent. */
const pauseMs = 300;

interface Props {
  service: Service;
  board: ReportBoard;
  block: TableBlock;
}

/** The first rows that a query finds at present. */
export function ReportTable({ service, board, block }: Props) {
  const folder = useFolderPath(block.folderId ?? null, () => board.folders(service));
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
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (found === undefined) return <p data-waiting="">Loading experiments …</p>;
  const { reply, columns, atMs } = found;
  const kinds = columnsOf(columns).filter(({ field }) => columns.includes(field));
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Experiments">
      <table>
        <thead>
          <tr>
            <th>experiment</th>
            {columns.map((column) => (
              <th key={column}>{titleOf(column)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {reply.rows.map((row) => (
            <tr key={row.experimentId}>
              <td>
                <a href={`/experiments/${row.experimentId}`}>{row.name ?? row.slug}</a>
              </td>
              {columns.map((column, at) => {
                const kind = kinds.find(({ field }) => field === column);
                const cell = kind && cellOf(kind, row.values[at], atMs);
                return (
                  <td key={column} class={typeof row.values[at] === "number" ? "right" : undefined}>
                    <NonfiniteSign count={row.nonfinite?.[at]} />
                    {cell?.text ?? String(row.values[at] ?? "–")}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="below">
        {reply.rows.length < reply.total && `the first ${countText(reply.rows.length)} of `}
        {countedText(reply.total, "experiment")}
        {block.folderId !== undefined && ` in ${folder || "a folder"}`}
      </p>
    </div>
  );
}

/** The column's title in the table of experiments. */
function titleOf(field: string): string {
  const column = columnOf(field);
  return column === undefined ? field : `${column.title} ${column.detail}`.trim();
}

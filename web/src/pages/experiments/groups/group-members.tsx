import type { TableBody, TableReply } from "@lossless/protocol";
import { useEffect, useState } from "preact/hooks";
import { countText, messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import { tabAddress } from "../../experiment/tabs.ts";
import { cellOf } from "../cell-text.ts";
import type { Column } from "../columns.ts";

const pageRows = 50;

interface Props {
  service: Service;
  /** The question for the members, without columns and page. */
  asked: Omit<TableBody, "columns" | "limit">;
  columns: readonly Column[];
  /** Cells of a row before those of the columns. */
  lead: number;
}

/** The experiments of an open group, page by page, in the order of the table. */
export function GroupMembers({ service, asked, columns, lead }: Props) {
  const [rows, setRows] = useState<TableReply["rows"]>([]);
  const [next, setNext] = useState<string>();
  const [total, setTotal] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const read = async (after: string | undefined, signal?: AbortSignal) => {
    try {
      const fields = columns.map(({ field }) => field);
      const page = { columns: fields, limit: pageRows, ...(after !== undefined && { after }) };
      const reply = await service.client.views.experiments({ ...asked, ...page }, signal);
      if (signal?.aborted) return;
      setRows((before) => (after === undefined ? reply.rows : [...before, ...reply.rows]));
      setNext(reply.next);
      setTotal(reply.total);
    } catch (error) {
      if (!signal?.aborted) setProblem(messageOf(error));
    }
  };
  useEffect(() => {
    const stopped = new AbortController();
    void read(undefined, stopped.signal);
    return () => stopped.abort();
  }, [service, JSON.stringify(asked), columns.map(({ field }) => field).join()]);
  const left = (total ?? 0) - rows.length;
  return (
    <>
      {rows.map((row) => (
        <tr key={row.experimentId} class="member">
          <th scope="row" colSpan={lead}>
            <a href={tabAddress(row.experimentId, "charts")}>{row.name ?? row.slug}</a>
          </th>
          {columns.map((column, at) => {
            const { text, title } = cellOf(column, row.values[at], Date.now());
            return (
              <td key={column.field} class="number" title={title}>
                {text}
              </td>
            );
          })}
        </tr>
      ))}
      {(problem !== undefined || total === undefined || next !== undefined) && (
        <tr class="member">
          <td colSpan={lead + columns.length}>
            {problem !== undefined ? (
              <span role="alert">{problem}</span>
            ) : total === undefined ? (
              "Loading …"
            ) : (
              <button type="button" class="quiet" onClick={() => void read(next)}>
                {left > pageRows
                  ? `show ${pageRows} more of ${countText(left)}`
                  : `show the last ${countText(left)}`}
              </button>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

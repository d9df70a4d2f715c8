import type { TableReply } from "@lossless/protocol";
import { readQuery } from "@lossless/protocol/query-language";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { usePageKeys } from "../../parts/use-page-keys.ts";
import { compareAddress, compareQueryAddress } from "../compare/compare-address.ts";
import { tabAddress } from "../experiment/tabs.ts";
import { cellOf } from "./cell-text.ts";
import { askedFields, type Column, columnsOf } from "./columns.ts";
import { equalColumns } from "./equal-columns.ts";
import { Grid } from "./grid.tsx";
import type { GridProps } from "./grid-props.ts";
import { isGridKey } from "./grid-keys.ts";
import { defaultColumns, sortText } from "./table-address.ts";
import { TableFoot } from "./table-foot.tsx";
import { TableHead } from "./table-head.tsx";
import { type Address, useAddress } from "./use-address.ts";
import type { AskFields } from "./use-completions.ts";
import {
  type TableQuestion,
  type Question,
  type TablePages,
  useMinuteHand,
  useTable,
} from "./use-table.ts";
import { UnknownFields } from "./unknown-fields.tsx";
import { usualColumns } from "./usual-columns.ts";
import { countText } from "../../parts/words.ts";

interface Props extends PageProps {
  /** Grows with each change by this page. */
  changes: number;
  /** A sentence about the last change. */
  said: string;
  onMove: (experimentIds: readonly string[]) => void;
  onDelete: (experimentIds: readonly string[]) => void;
}

/** The query, its results, and actions on the ticked experiments. */
export function Table({ service, location, changes, said, onMove, onDelete }: Props) {
  const address = useAddress(location);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<TableReply>();
  const ask = useCallback<AskFields>(
    (body, signal) => service.client.views.fields(body, signal),
    [service],
  );
  const columns = useColumns(address, ask, answer);
  // A query that the field cannot parse, the service could not either.
  const isRead = readQuery(address.query).error === undefined;
  const question = columns && isRead ? questionOf(address, columns) : undefined;
  const { shown, asked } = useTable(service, question, round + changes);
  const latest = asked?.pages.reply.value;
  useEffect(() => latest && setAnswer(latest), [latest]);
  const input = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLDivElement>(null);
  useMinuteHand();
  usePageKeys((event) => {
    if (event.key === "/") {
      input.current?.focus();
      input.current?.select();
    } else if (event.key === "c") location.open(comparedAddress(address));
    else if (event.key === "m" && address.selected.size > 0) onMove([...address.selected]);
    else if (isNobodys(event) && isGridKey(event.key)) forward(event, table.current);
    else return;
    event.preventDefault();
  });
  return (
    <section class="results" aria-label="Table" ref={table}>
      <TableHead
        service={service}
        location={location}
        address={address}
        columns={columns ?? []}
        pages={shown?.pages}
        problem={asked?.pages.problem.value ?? service.changes.problem.value}
        comparedAddress={comparedAddress({ ...address, selected: new Set() })}
        input={input}
        ask={ask}
        onNews={() => setRound(round + 1)}
      />
      <UnknownFields query={address.query} unknown={latest?.unknown} onChange={address.search} />
      {shown !== undefined && (
        <Rows
          address={address}
          shown={shown}
          history={location}
          onOpen={(id) => location.open(tabAddress(id, "charts"))}
        />
      )}
      <TableFoot
        service={service}
        address={address}
        pages={shown?.pages}
        said={said}
        comparedAddress={comparedAddress(address)}
        onMove={() => onMove([...address.selected])}
        onDelete={() => onDelete([...address.selected])}
      />
    </section>
  );
}

interface RowsProps extends Pick<GridProps, "history"> {
  address: Address;
  shown: TableQuestion;
  onOpen: (experimentId: string) => void;
}

function Rows({ address, shown: { pages, question }, history, onOpen }: RowsProps) {
  const rows = pages.rows.value;
  const asked = question.body.columns ?? [];
  const columns = useMemo(
    () => numbersRight(columnsOf(asked.slice(0, question.drawn)), rows),
    [question, rows],
  );
  const total = pages.total.value ?? 0;
  const equal = pages.isWhole
    ? equalColumns(columns, [...rows.values()])
    : new Map<Column, never>();
  const drawn = columns.filter((column) => !equal.has(column));
  const show = useCallback((first: number, last: number) => pages.show(first, last), [pages]);
  return (
    <>
      {equal.size > 0 && (
        <p class="equal">
          <span class="soft">
            equal in {total === 1 ? "the one row" : `all ${countText(total)} rows`}:
          </span>{" "}
          {[...equal].map(([column, value]) => (
            <span key={column.field}>
              <bdi>{`${column.title} ${column.detail}`.trim()}</bdi>{" "}
              <b>{cellOf(column, value, Date.now()).text}</b>
            </span>
          ))}
        </p>
      )}
      <Grid
        columns={drawn}
        valuePlaces={drawn.map((column) => columns.indexOf(column))}
        stepPlaces={drawn.map(({ step }) => (step === undefined ? -1 : asked.indexOf(step)))}
        question={JSON.stringify({ ...question.body, columns: undefined })}
        total={total}
        rows={rows}
        sort={address.sort}
        selected={address.selected}
        history={history}
        onShow={show}
        onSort={address.sortBy}
        onTick={address.tick}
        onOpen={onOpen}
      />
      {total === 0 && <p class="nothing">No experiments found.</p>}
    </>
  );
}

/** Right-aligns columns of meta that have numbers, which is known once the values are read. */
function numbersRight(columns: readonly Column[], rows: TablePages["rows"]["value"]): Column[] {
  return columns.map((column, at) => {
    if (column.kind.kind !== "meta") return column;
    const types = new Set([...rows.values()].map(({ values }) => typeof values[at]));
    types.delete("object");
    return { ...column, isNumber: types.size === 1 && types.has("number") };
  });
}

/**
 * The columns; undefined until names are known, where none are chosen. As long as no name is a
 * loss, names are read again with each reply of the table: the very first run has no losses at
 * first.
 */
function useColumns(
  address: Address,
  ask: AskFields,
  reply: TableReply | undefined,
): readonly string[] | undefined {
  const [usual, setUsual] = useState<readonly string[]>();
  const isOpen = address.isUsual && (usual === undefined || usual.length === defaultColumns.length);
  useEffect(() => {
    if (!isOpen) return;
    const stopped = new AbortController();
    const look = async () => {
      const known = await ask({ text: "loss" }, stopped.signal).catch(() => undefined);
      if (!stopped.signal.aborted) setUsual(usualColumns(known?.fields ?? []));
    };
    void look();
    return () => stopped.abort();
  }, [ask, isOpen, reply]);
  const text = (address.isUsual ? usual : address.columns)?.join(", ");
  return useMemo(() => (address.isUsual ? usual : address.columns), [text]);
}

function questionOf(address: Address, columns: readonly string[]): Question {
  const { query, folder, sort } = address;
  const shown = columnsOf(columns);
  const body = {
    ...(query.trim() !== "" && { query }),
    ...(folder !== undefined && { folderId: folder }),
    sort: [...sort],
    columns: askedFields(shown),
  };
  return { body, drawn: shown.length };
}

/** Address that compares the ticked experiments, or else those that the query finds. */
function comparedAddress({ selected, query, sort, folder }: Address): string {
  if (selected.size > 0) return compareAddress(selected);
  return compareQueryAddress(query, sortText(sort), folder);
}

/** Whether a key was pressed without a focused element. */
function isNobodys({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.matches("body, main");
}

/** Hands unhandled keys to the table, which gets the focus with the first of them. */
function forward(event: KeyboardEvent, table: HTMLElement | null): void {
  const grid = table?.querySelector<HTMLElement>("[role=grid]");
  grid?.focus();
  grid?.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, shiftKey: event.shiftKey }));
}

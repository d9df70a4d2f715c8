import type { EditReply } from "@lossless/client";
import type { TableReply } from "@lossless/protocol";
import { fieldText } from "@lossless/protocol/query-field";
import { readQuery } from "@lossless/protocol/query-language";
import type { RefObject } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useColours } from "../../colours/use-colours.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import type { Service } from "../../signed-in.ts";
import { useShown } from "../../parts/use-shown.ts";
import { usePageKeys } from "../../parts/use-page-keys.ts";
import { compareAddress, compareQueryAddress } from "../compare/compare-address.ts";
import { tabAddress } from "../experiment/tabs.ts";
import { askedFields, columnsOf } from "./columns.ts";
import { isGridKey } from "./grid-keys.ts";
import type { GroupedRowsProps } from "./groups/grouped-rows.tsx";
import { loadGroupedRows } from "./groups/load-grouped-rows.ts";
import { defaultColumns, sortText } from "./table-address.ts";
import { Rows } from "./rows.tsx";
import { TableFoot, type Told } from "./table-foot.tsx";
import { TableHead } from "./table-head.tsx";
import { type Address, useAddress } from "./use-address.ts";
import type { AskFields } from "./use-completions.ts";
import type { AskNear } from "./use-error-text.ts";
import { type Question, useMinuteHand, useTable } from "./use-table.ts";
import { UnknownFields } from "./unknown-fields.tsx";
import { usualColumns } from "./usual-columns.ts";
import { mayWrite } from "../../rights.ts";
import { useWrittenMetas } from "./written-metas.ts";

interface Props extends PageProps {
  /** Grows with each change by this page. */
  changes: number;
  /** A sentence about the last change, and how it is undone. */
  said: Told;
  onMove: (experimentIds: readonly string[]) => void;
  onDelete: (experimentIds: readonly string[]) => void;
}

/** The query, its results, and actions on the ticked experiments. */
export function Table({ service, location, changes, said, onMove, onDelete }: Props) {
  const address = useAddress(location);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<TableReply>();
  const { ask, askNear } = useAsked(service);
  const columns = useColumns(service, address, ask, answer);
  const question = columns && questionOf(address, columns);
  const { shown, asked } = useTable(service, question, round + changes);
  const latest = asked?.pages.reply.value;
  useEffect(() => latest && setAnswer(latest), [latest]);
  const { told, tell, written, onChanged } = useTold(said, latest);
  const colours = useColours(service, tell);
  const input = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLDivElement>(null);
  useMinuteHand();
  useTableKeys({ input, table }, (key) => {
    if (key === "c") location.open(comparedAddress(address));
    else if (key === "m" && address.selected.size > 0 && mayWrite(service))
      onMove([...address.selected]);
    else return false;
    return true;
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
        askNear={askNear}
        onNews={() => setRound(round + 1)}
      />
      <UnknownFields {...{ address, columns: columns ?? [] }} unknown={latest?.unknown} />
      {columns && <Grouped {...{ service, location, address, columns, round: latest }} />}
      {shown !== undefined && !isGrouped(location) && (
        <Rows
          {...{ service, address, shown }}
          shownColumns={columns ?? []}
          {...{ written, onChanged }}
          history={location}
          onColour={colours.choose}
          onOpen={(id) => location.open(tabAddress(id, "charts"))}
        />
      )}
      <TableFoot
        service={service}
        {...{ address, columns: columns ?? [] }}
        pages={shown?.pages}
        told={told}
        onTold={tell}
        onColour={() => colours.choose?.([...address.selected])}
        comparedAddress={comparedAddress(address)}
        onMove={() => onMove([...address.selected])}
        onDelete={() => onDelete([...address.selected])}
      />
      {colours.dialog}
    </section>
  );
}

/** Changes by this page: a sentence, and metas that the table has later. */
function useTold(said: Told, reply: TableReply | undefined) {
  const [told, setTold] = useState<Told>();
  useEffect(() => setTold(undefined), [said.words, said.undo]);
  const { written, add } = useWrittenMetas(reply);
  const tell = (next: Told) => {
    setTold(next);
    add(next.replies ?? []);
  };
  const onChanged = (words: string | undefined, edited?: EditReply) => {
    if (words !== undefined) setTold({ words });
    if (edited !== undefined) add([edited]);
  };
  return { told: told ?? said, tell, written, onChanged };
}

/** The groups, where rows are groups. */
function Grouped(props: GroupedRowsProps) {
  return isGrouped(props.location) && <Loaded load={loadGroupedRows} props={props} />;
}

/** Whether a row is a group. */
function isGrouped(location: Props["location"]): boolean {
  return location.parameter("by") !== undefined;
}

/** Questions of the query field to the service. */
function useAsked({ client }: Service) {
  const ask = useCallback<AskFields>((body, signal) => client.views.fields(body, signal), [client]);
  const askNear = useCallback<AskNear>(
    async (name, signal) => {
      // A field that no experiment has is answered with those that may be meant.
      const query = fieldText({ kind: "metric", name, stat: "last" });
      const { unknown } = await client.views.experiments({ query, limit: 0 }, signal);
      return unknown === undefined ? [query] : unknown.flatMap(({ near }) => near);
    },
    [client],
  );
  return { ask, askNear };
}

interface KeyPlaces {
  input: RefObject<HTMLInputElement | null>;
  table: RefObject<HTMLElement | null>;
}

/** Keys of the page: to the query, those that `act` takes, and those of the table. */
function useTableKeys({ input, table }: KeyPlaces, act: (key: string) => boolean): void {
  usePageKeys((event) => {
    if (event.key === "/") {
      input.current?.focus();
      input.current?.select();
    } else if (isNobodys(event) && isGridKey(event.key)) forward(event, table.current);
    else if (!act(event.key)) return;
    event.preventDefault();
  });
}

/**
 * The columns; undefined until names are known, where none are chosen. As long as no name is a
 * loss, names are read again with each reply of the table: the very first run has no losses at
 * first.
 */
function useColumns(
  service: Service,
  address: Address,
  ask: AskFields,
  reply: TableReply | undefined,
): readonly string[] | undefined {
  const [usual, setUsual] = useShown<readonly string[]>(service, "usual columns");
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

/** The question; undefined: the field cannot parse the query, and the service could not either. */
function questionOf(address: Address, columns: readonly string[]): Question | undefined {
  if (readQuery(address.query).error !== undefined) return undefined;
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

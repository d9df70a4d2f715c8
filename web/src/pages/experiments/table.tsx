import type { EditReply } from "@lossless/client";
import type { TableReply } from "@lossless/protocol";
import { readQuery } from "@lossless/protocol/query-language";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useColours } from "../../colours/use-colours.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { usePageKeys } from "../../parts/use-page-keys.ts";
import { compareAddress, compareQueryAddress } from "../compare/compare-address.ts";
import { tabAddress } from "../experiment/tabs.ts";
import { askedFields, columnsOf } from "./columns.ts";
import { isGridKey } from "./grid-keys.ts";
import type { GroupedRowsProps } from "./groups/grouped-rows.tsx";
import { loadGroupedRows } from "./groups/load-grouped-rows.ts";
import { offeredFields } from "./offered-columns.ts";
import { sortText } from "./table-address.ts";
import { Rows } from "./rows.tsx";
import { TableFoot, type Told } from "./table-foot.tsx";
import { TableHead } from "./table-head.tsx";
import { type Address, useAddress } from "./use-address.ts";
import { useAsked } from "../../query/use-asked.ts";
import { type Question, useMinuteHand, useTable } from "./use-table.ts";
import { UnknownFields } from "./unknown-fields.tsx";
import { UnreadQuery } from "./unread-query.tsx";
import type { Usual } from "./read-usual.ts";
import { useOfferedShown, useUsual } from "./use-usual.ts";
import { withOffered } from "./usual-columns.ts";
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
  const { ask, askNear } = useAsked(service, address.folder);
  const usual = useUsual(service, address.isUsual, ask, answer);
  const isRead = readQuery(address.query).error === undefined;
  const question = isRead ? questionOf(address, usual) : undefined;
  const { shown, asked } = useTable(service, question, round + changes);
  const latest = asked?.pages.reply.value;
  useEffect(() => latest && setAnswer(latest), [latest]);
  const { told, tell, written, onChanged } = useTold(said, latest);
  const offeredShown = useOfferedShown(shown, written);
  const always = address.isUsual ? usual?.columns : address.columns;
  const columns = usual === undefined ? always : withOffered(usual.columns, offeredShown);
  const colours = useColours(service, tell);
  const places = useKeyPlaces();
  useMinuteHand();
  useTableKeys(places, (key) => {
    if (key === "c") location.open(comparedAddress(address));
    else if (key === "m" && address.selected.size > 0 && mayWrite(service))
      onMove([...address.selected]);
    else return false;
    return true;
  });
  return (
    <section class="results" aria-label="Table" ref={places.table}>
      <TableHead
        service={service}
        location={location}
        address={address}
        columns={columns ?? []}
        pages={isRead ? shown?.pages : undefined}
        problem={asked?.pages.problem.value ?? service.changes.problem.value}
        comparedAddress={comparedAddress({ ...address, selected: new Set() })}
        input={places.input}
        ask={ask}
        askNear={askNear}
        onNews={() => setRound(round + 1)}
      />
      <UnknownFields {...{ address, columns: columns ?? [] }} unknown={latest?.unknown} />
      {!isRead && <UnreadQuery {...{ address, columns: columns ?? [], askNear }} />}
      {isRead && always && (
        <Grouped {...{ service, location, address, columns: always, round: latest }} />
      )}
      {isRead && shown !== undefined && !isGrouped(location) && (
        <Rows
          {...{ service, address, shown }}
          shownColumns={columns ?? []}
          {...{ offeredShown, written, onChanged }}
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

interface KeyPlaces {
  input: RefObject<HTMLInputElement | null>;
  table: RefObject<HTMLElement | null>;
}

function useKeyPlaces(): KeyPlaces {
  return { input: useRef<HTMLInputElement>(null), table: useRef<HTMLElement>(null) };
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

/** The question of a query that can be read; undefined: the usual columns are not known yet. */
function questionOf(address: Address, usual: Usual | undefined): Question | undefined {
  if (address.isUsual && usual === undefined) return undefined;
  const { query, folder, sort } = address;
  const columns =
    usual === undefined
      ? address.columns
      : withOffered(usual.columns, offeredFields(usual.offered));
  const shown = columnsOf(columns);
  const body = {
    ...(query.trim() !== "" && { query }),
    ...(folder !== undefined && { folderId: folder }),
    sort: [...sort],
    columns: askedFields(shown),
  };
  return { body, drawn: shown.length, ...(usual && { offered: usual.offered }) };
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

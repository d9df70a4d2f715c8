import { Choose } from "../../experiment/choose.tsx";
import type { Column } from "../columns.ts";
import { groupStats, type GroupSort } from "./groups-address.ts";

/** The sort as one choice, where the heads have no room for it. */
export function SortChoice({ by, numbers, sort, sortBy }: SortProps) {
  const options = [
    ["experiments", "experiments"] as const,
    ...by.map((field, at) => [`key:${at}`, field] as const),
    ...numbers.flatMap(({ at, column }) =>
      groupStats.map((of) => [`${of}:${at}`, `${of} of ${titleOf(column)}`] as const),
    ),
  ];
  const { of, at, descending = false } = sort;
  return (
    <span class="sort-choice">
      <Choose
        label="sort by"
        value={at === undefined ? of : `${of}:${at}`}
        options={options}
        onChoose={(text) => {
          const [chosen, place] = text.split(":");
          sortBy(chosen as GroupSort["of"], place === undefined ? undefined : Number(place));
        }}
      />
      <button
        type="button"
        aria-label="reverse the order"
        title="reverse the order"
        onClick={() => sortBy(of, at)}
      >
        {descending ? "↓" : "↑"}
      </button>
    </span>
  );
}

function titleOf({ title, detail }: Column): string {
  return `${title} ${detail}`.trim();
}

export interface SortProps extends SortedBy {
  /** The fields by which groups are told apart. */
  by: readonly string[];
  /** Columns in which groups have numbers, with their places in the request. */
  numbers: readonly { at: number; column: Column }[];
}

interface SortedBy {
  sort: GroupSort;
  sortBy: (of: GroupSort["of"], at?: number) => void;
}

export function Head({
  of,
  at,
  sort,
  sortBy,
  children,
}: SortedBy & { of: "key" | "experiments"; at?: number; children: string }) {
  return (
    <th
      scope="col"
      class={of === "experiments" ? "number" : undefined}
      aria-sort={ariaSort(sort, of, at)}
    >
      <span class="unsorted">{children}</span>
      <SortButton {...{ of, sort, sortBy }} {...(at !== undefined && { at })} words={children} />
    </th>
  );
}

export function StatHead({ column, at, sort, sortBy }: SortedBy & { column: Column; at: number }) {
  const name = titleOf(column);
  const sorted = groupStats.find((of) => ariaSort(sort, of, at) !== undefined);
  return (
    <th
      scope="col"
      class="number"
      aria-sort={sorted === undefined ? undefined : ariaSort(sort, sorted, at)}
    >
      <span title={column.field}>{name}</span>
      <span class="stats" role="group" aria-label={`Sort by ${name}`}>
        {groupStats.map((of) => (
          <SortButton key={of} {...{ of, at, sort, sortBy }} words={of} />
        ))}
      </span>
    </th>
  );
}

function SortButton({
  of,
  at,
  sort,
  sortBy,
  words,
}: SortedBy & { of: GroupSort["of"]; at?: number; words: string }) {
  const direction = ariaSort(sort, of, at);
  const sign = direction === undefined ? "" : direction === "ascending" ? " ↑" : " ↓";
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={direction !== undefined}
      onClick={() => sortBy(of, at)}
    >
      {words}
      {sign}
    </button>
  );
}

function ariaSort(sort: GroupSort, of: GroupSort["of"], at?: number) {
  if (sort.of !== of || sort.at !== at) return undefined;
  return sort.descending === true ? ("descending" as const) : ("ascending" as const);
}

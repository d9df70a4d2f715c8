import type { SortField } from "@lossless/protocol/query-list";
import type { PageLocation } from "../../location.ts";
import type { Column } from "./columns.ts";
import { ticked } from "./ticks.ts";
import {
  defaultSort,
  readTableAddress,
  selectedMax,
  sortedBy,
  sortText,
  type View,
} from "./table-address.ts";

/** The state of the table in the address, and the ways in which a person changes it. */
export function useAddress(location: PageLocation) {
  const address = readTableAddress((name) => location.parameter(name));
  const { view } = address;
  return {
    ...address,
    isUsual: location.parameter("cols") === undefined,
    sortBy: (column: Column, isFurther: boolean) => {
      const sort = sortedBy(address.sort, column.field, column.firstDescending, isFurther);
      location.change({ sort: changed(sortText(sort), view?.sort ?? defaultSort) });
    },
    // No step of history, as each letter of a query would be one.
    search: (query: string) =>
      location.change(
        view === undefined || query === view.query
          ? { q: query === view?.query ? undefined : query }
          : { q: query, sort: orderOf(address.sort), view: undefined },
      ),
    choose: ({ name }: View) =>
      location.change(
        { view: name === view?.name ? undefined : name, q: undefined, sort: undefined },
        true,
      ),
    // An empty text would drop the parameter, which means the default columns.
    show: (columns: readonly string[] | undefined) =>
      location.change({ cols: columns?.length === 0 ? " " : columns?.join(", ") }),
    tick: (ids: readonly string[], isTicked: boolean) => {
      const next = [...ticked(address.selected, ids, isTicked)].slice(0, selectedMax);
      location.change({ sel: next.join(",") });
    },
  };
}

export type Address = ReturnType<typeof useAddress>;

function orderOf(sort: readonly SortField[]): string | undefined {
  return changed(sortText(sort), defaultSort);
}

function changed(text: string, usual: string): string | undefined {
  return text === usual ? undefined : text;
}

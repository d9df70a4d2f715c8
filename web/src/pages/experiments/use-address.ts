import type { SortField } from "@lossless/protocol/query-list";
import type { PageLocation } from "../../location.ts";
import type { Column } from "./columns.ts";
import { type Direction, directionsText } from "../../parts/directions.ts";
import { widthsOf, widthsText } from "./column-widths.ts";
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
    /** A further letter of a query that is typed is no step of the history. */
    search: (query: string, isStep = true) =>
      location.change(
        view === undefined || query === view.query
          ? { q: query === view?.query ? undefined : query }
          : { q: query, sort: orderOf(address.sort), view: undefined },
        isStep,
      ),
    choose: ({ name }: View) =>
      location.change(
        { view: name === view?.name ? undefined : name, q: undefined, sort: undefined },
        true,
      ),
    /** Shows columns in place of others, with their widths; undefined: the default ones. */
    show: (columns: readonly string[] | undefined, before = address.columns) => {
      const widths = columns === undefined ? [] : widthsOf(columns, before, address.widths);
      location.change({ cols: columnsText(columns), widths: widthsText(widths) });
    },
    /** Gives one of the shown columns a width, or the name (`slug`); undefined: the usual one. */
    resize: (shown: readonly string[], field: string, rem: number | undefined) => {
      const widths = [...widthsOf(shown, shown, address.widths)];
      widths[shown.indexOf(field) + 1] = rem;
      // The columns are named, too: others may become the default ones.
      location.change({ cols: columnsText(shown), widths: widthsText(widths) });
    },
    compareWith: (baseline: string | undefined) => location.change({ base: baseline }, true),
    direct: (metric: string, direction: Direction) => {
      const directions = new Map(address.directions).set(metric, direction);
      location.change({ best: directionsText(directions) });
    },
    leaveFolder: () => location.change({ folder: undefined }, true),
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

/** An empty text would drop the parameter, which means the default columns. */
function columnsText(columns: readonly string[] | undefined): string | undefined {
  return columns?.length === 0 ? " " : columns?.join(", ");
}

function changed(text: string, usual: string): string | undefined {
  return text === usual ? undefined : text;
}

import type { PageProps } from "../../../page.ts";
import { countedText, countText } from "../../../parts/words.ts";
import { columnsOf } from "../columns.ts";
import type { Address } from "../use-address.ts";
import { SortChoice } from "./group-heads.tsx";
import { GroupTable } from "./group-table.tsx";
import {
  type GroupSort,
  readGroupsAddress,
  sortedBy,
  sortParameter,
  usualSort,
} from "./groups-address.ts";
import { useTableGroups } from "./use-table-groups.ts";

export interface GroupedRowsProps extends PageProps {
  address: Address;
  /** Fields of the table's columns. */
  columns: readonly string[];
  /** Changes when the groups have to be read again. */
  round: unknown;
}

/** The table with a row for each group: its size, and mean, least and largest values. */
export function GroupedRows(props: GroupedRowsProps) {
  const { service, location, address, columns, round } = props;
  const { by, sort } = readGroupsAddress((name) => location.parameter(name));
  const shown = columnsOf(columns).filter(({ field }) => !by.includes(field));
  const found = foundBy(address);
  const fields = shown.map(({ field }) => field);
  const order = placed(sort, by.length, shown.length);
  const question = { ...found, by: [...by], columns: fields, sort: [order] };
  const { reply, problem, more } = useTableGroups(service, question, round);
  // A column in which no group has a number has nothing to say here.
  const numbers = [...shown.entries()]
    .filter(([at]) => reply?.groups.some(({ columns: own }) => own[at].count > 0))
    .map(([at, column]) => ({ at, column }));
  const stop = () => location.change({ by: undefined, gsort: undefined }, true);
  const sortBy = (of: GroupSort["of"], at?: number) =>
    location.change({ gsort: sortParameter(sortedBy(order, of, at)) });
  const sorting = { by, numbers, sort: order, sortBy };
  return (
    <div class="grouped-rows">
      <p class="grouped-head">
        <button type="button" class="quiet" onClick={stop}>
          stop grouping
        </button>
        <SortChoice {...sorting} />
        <a class="quiet" href={csvAddress(found, by, fields)} download="groups.csv">
          CSV of groups
        </a>
        {reply !== undefined && (
          <output>
            {countedText(reply.total, "group")} of {countedText(reply.experiments, "experiment")}
            {reply.late > 0 && `, ${countText(reply.late)} of them not up to date`}
          </output>
        )}
        {problem !== undefined && <span role="alert">{problem}</span>}
      </p>
      {reply === undefined && problem === undefined && <p class="waiting">Grouping …</p>}
      {reply !== undefined && (
        <GroupTable
          {...sorting}
          {...{ service, reply, more }}
          asked={{ ...found, sort: [...address.sort] }}
        />
      )}
    </div>
  );
}

function foundBy({ query, folder }: Address): { query?: string; folderId?: string } {
  return {
    ...(query.trim() !== "" && { query }),
    ...(folder !== undefined && { folderId: folder }),
  };
}

/** The sort, where what it sorts by is there. */
function placed(sort: GroupSort, keys: number, columns: number): GroupSort {
  const most = sort.of === "experiments" ? 1 : sort.of === "key" ? keys : columns;
  return (sort.at ?? 0) < most ? sort : usualSort;
}

function csvAddress(
  found: { query?: string; folderId?: string },
  by: readonly string[],
  columns: readonly string[],
): string {
  const parameters = { ...found, by: by.join(", "), columns: columns.join(", ") };
  return `/api/views/v1/experiments.csv?${new URLSearchParams(parameters).toString()}`;
}

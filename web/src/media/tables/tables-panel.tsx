import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { Choose } from "../../pages/experiment/choose.tsx";
import { countText } from "../../parts/words.ts";
import type { MediaExperiment } from "../media-experiment.ts";
import type { SeriesItems } from "../nearest-items.ts";
import { tablesWhere } from "./conditions.ts";
import { groupColumns, groupedSheet } from "./grouped.ts";
import {
  areJoinedAtFirst,
  comparedColumns,
  differentRows,
  joinedSheet,
  keyColumns,
  usualKey,
} from "./joined.ts";
import type { RunTable, Sheet } from "./sheet.ts";
import { SheetView } from "./sheet-view.tsx";
import { stackedSheet } from "./stacked.ts";
import { tablesParameter, tablesViewOf, tablesWith, type TablesView } from "./tables-address.ts";
import { useTables } from "./use-tables.ts";

interface Props {
  location: PageLocation;
  name: string;
  experiments: readonly MediaExperiment[];
  items: SeriesItems | undefined;
  /** The tables, each by itself. */
  children: ComponentChildren;
}

const ways = [
  ["apart", "each by itself"],
  ["joined", "joined by a key"],
  ["stacked", "one below the other"],
] as const;

/**
 * Tables of one name: each by itself, or those of all experiments as one table. Those that belong
 * together are joined at first.
 */
export function TablesPanel({ location, name, experiments, items, children }: Props) {
  const text = location.parameter(tablesParameter);
  const view = useMemo(() => tablesViewOf(text, name), [text, name]);
  const change = (next: TablesView, isStep = true) =>
    location.change({ [tablesParameter]: tablesWith(text, name, next) }, isStep);
  const having = experiments.filter(({ experimentId }) => items?.byExperiment.has(experimentId));
  const isOne = experiments.length === 1;
  const isPlain = isOne || having.length < 2;
  const as = isPlain && view.as === "usual" ? "apart" : view.as;
  if (!isOne && isPlain && as === "apart") return <>{children}</>;
  const props = { name, experiments, items, change, isOne };
  if (as === "apart")
    return (
      <>
        <div class="tables-choices">
          <Ways {...props} view={{ ...view, as }} />
        </div>
        {children}
      </>
    );
  return (
    <Together {...props} view={{ ...view, as }}>
      {children}
    </Together>
  );
}

interface WaysProps {
  name: string;
  view: TablesView;
  change: (next: TablesView, isStep?: boolean) => void;
  isOne: boolean;
}

/** How tables are shown. The conditions stay where they are one table. */
function Ways({ name, view, change, isOne }: WaysProps) {
  const { where = [] } = view;
  const kept = where.length > 0 ? { where } : {};
  if (!isOne)
    return (
      <div class="choices" role="group" aria-label={`How tables of ${name} are shown`}>
        {ways.map(([as, words]) => (
          <button
            key={as}
            type="button"
            aria-pressed={view.as === as}
            onClick={() => change({ as, ...(as !== "apart" && kept) })}
          >
            {words}
          </button>
        ))}
      </div>
    );
  const isGrouped = view.as !== "apart" && view.by !== undefined;
  const isFiltered = view.as !== "apart" && !isGrouped;
  return (
    <div class="choices" role="group" aria-label={`How the table ${name} is shown`}>
      <button
        type="button"
        aria-pressed={isFiltered}
        onClick={() => change(isFiltered ? { as: "usual" } : { as: "stacked", ...kept })}
      >
        filtered
      </button>
      <button
        type="button"
        aria-pressed={isGrouped}
        onClick={() => change(isGrouped ? { as: "usual" } : { as: "stacked", by: "", ...kept })}
      >
        in groups
      </button>
    </div>
  );
}

interface TogetherProps extends Pick<Props, "experiments" | "items" | "children">, WaysProps {}

function Together({ children, ...props }: TogetherProps) {
  const { name, experiments, items, view: asked, change, isOne } = props;
  const { tables, missing, isCurrent } = useTables(experiments, items);
  const usual = useMemo(() => tables && usualKey(tables), [tables]);
  const isJoinedAtFirst = useMemo(
    () => tables !== undefined && missing.length === 0 && areJoinedAtFirst(tables),
    [tables, missing.length],
  );
  const usualWay = isJoinedAtFirst ? "joined" : "apart";
  const view: TablesView = { ...asked, as: asked.as === "usual" ? usualWay : asked.as };
  const { as, by, where } = view;
  const key = view.key ?? usual;
  const sheet = useMemo(
    () => tables && sheetOf(tables, view, key),
    [tables, as, by, key, by === undefined ? undefined : where],
  );
  if (tables === undefined || items === undefined) return <p class="waiting">…</p>;
  const head = <Ways {...props} view={view} />;
  if (as === "apart" || tables.length === 0)
    return (
      <>
        <div class="tables-choices">{head}</div>
        {as === "apart" ? (
          children
        ) : (
          <p class="count">{missing.join(" ") || "No table is here."}</p>
        )}
      </>
    );
  const controls = (
    <>
      {head}
      {as === "joined" && key !== undefined && (
        <Choose
          label="key"
          value={key}
          options={keyColumns(tables).map((column) => [column, column])}
          onChoose={(next) => change({ ...view, key: next })}
        />
      )}
      {as === "joined" && sheet !== undefined && <Different {...{ sheet, view, change }} />}
      {as === "stacked" && (!isOne || by !== undefined) && (
        <Grouping {...{ tables, view, change, isOne }} />
      )}
    </>
  );
  if (sheet === undefined)
    return (
      <>
        <div class="tables-choices">{controls}</div>
        <p class="count">No column is in two of these tables, so nothing joins them.</p>
      </>
    );
  return (
    <SheetView
      {...{ name, sheet, tables, experiments, view, change, controls }}
      notes={[...sheet.notes, ...stepNotes(tables), ...leftOut(tables), ...missing]}
      isBusy={!isCurrent}
    />
  );
}

interface GroupingProps extends Pick<WaysProps, "view" | "change" | "isOne"> {
  tables: readonly RunTable[];
}

function Grouping({ tables, view: { by, where }, change, isOne }: GroupingProps) {
  return (
    <Choose
      label="group by"
      value={by === undefined ? "none" : `=${by}`}
      options={[
        ...(isOne ? [] : [["none", "nothing"] as const]),
        ["=", "all rows"],
        ...groupColumns(tables).map((column) => [`=${column}`, column] as const),
      ]}
      onChoose={(next) =>
        change({
          as: "stacked",
          ...(next !== "none" && { by: next.slice(1) }),
          ...(where !== undefined && { where }),
        })
      }
    />
  );
}

interface DifferentProps extends Pick<WaysProps, "view" | "change"> {
  sheet: Sheet;
}

/** Leaves out the rows that are the same in all runs, by the columns that count. */
function Different({ sheet, view, change }: DifferentProps) {
  const compared = useMemo(() => comparedColumns(sheet), [sheet]);
  const different = useMemo(() => differentRows(sheet, view.differIn), [sheet, view.differIn]);
  const hasDecimals = compared.some((one) => one.hasDecimals);
  return (
    <span class="pair">
      <button
        type="button"
        aria-pressed={view.areDifferent === true}
        onClick={() => change({ ...view, areDifferent: view.areDifferent !== true })}
      >
        only rows that differ <small>{countText(different.size)}</small>
      </button>
      {compared.length > 1 && (
        <Choose
          label="in"
          title="The columns in which rows differ"
          value={view.differIn === undefined ? "usual" : `=${view.differIn}`}
          options={[
            ["usual", hasDecimals ? "any column but decimals" : "any column"],
            ...(hasDecimals ? [["=", "any column"] as const] : []),
            ...compared.map((one) => [`=${one.name}`, one.name] as const),
          ]}
          onChoose={(next) => {
            const { differIn: _, ...rest } = view;
            change(next === "usual" ? rest : { ...rest, differIn: next.slice(1) });
          }}
        />
      )}
    </span>
  );
}

function sheetOf(
  tables: readonly RunTable[],
  { as, by, where }: TablesView,
  key: string | undefined,
): Sheet | undefined {
  if (as === "joined") return key === undefined ? undefined : joinedSheet(tables, key);
  if (by === undefined) return stackedSheet(tables);
  return groupedSheet(where ? tablesWhere(tables, where) : tables, by === "" ? undefined : by);
}

function stepNotes(tables: readonly RunTable[]): string[] {
  const steps = tables.map(({ step }) => step);
  const [first, last] = [Math.min(...steps), Math.max(...steps)];
  return first === last
    ? []
    : [`The tables are of steps ${countText(first)} to ${countText(last)}.`];
}

function leftOut(tables: readonly RunTable[]): string[] {
  const rows = tables.reduce((sum, { table }) => sum + table.rowsLeftOut, 0);
  return rows === 0 ? [] : [`${countText(rows)} more rows were not recorded.`];
}

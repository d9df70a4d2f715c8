import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Choose } from "../../pages/experiment/choose.tsx";
import { countText } from "../../parts/words.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import { cellText, mediaOf } from "../items/table-rows.ts";
import { type Condition, fulfilling, type Sign, signs, tablesWhere } from "./conditions.ts";
import { allColumns, type RunTable, type Sheet } from "./sheet.ts";
import type { TablesView } from "./tables-address.ts";

interface Props {
  name: string;
  sheet: Sheet;
  tables: readonly RunTable[];
  view: TablesView;
  change: (next: TablesView) => void;
}

/** The conditions that rows fulfil, each with the count of rows that do, and a form for others. */
export function Conditions({ name, sheet, tables, view, change }: Props) {
  const { where = [] } = view;
  const [isOpen, setIsOpen] = useState(view.as === "stacked" && tables.length === 1);
  const opener = useRef<HTMLButtonElement>(null);
  const counts = useMemo(
    () => where.map((condition) => countOf(condition, sheet, tables)),
    [sheet, tables, view.where],
  );
  const set = (next: readonly Condition[]) => {
    const { where: _, ...rest } = view;
    change(next.length === 0 ? rest : { ...rest, where: next });
  };
  return (
    <>
      <button
        type="button"
        ref={opener}
        aria-expanded={isOpen}
        aria-label={`Filter rows of ${name}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        + filter
      </button>
      {where.length > 0 && (
        <ul class="conditions" aria-label={`Rows of ${name} are shown where`}>
          {where.map((condition, at) => (
            <li key={at}>
              <bdi>{wordsOf(condition, tables)}</bdi> <small>{countText(counts[at])}</small>
              <button
                type="button"
                aria-label={`Remove ${wordsOf(condition, tables)}`}
                onClick={() => {
                  set(where.filter((_, place) => place !== at));
                  opener.current!.focus();
                }}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {isOpen && <Form {...{ name, tables }} onAdd={(one) => set([...where, one])} />}
    </>
  );
}

interface FormProps extends Pick<Props, "name" | "tables"> {
  onAdd: (condition: Condition) => void;
}

function Form({ name, tables, onAdd }: FormProps) {
  const columns = allColumns(tables);
  const [chosen, setChosen] = useState<string>();
  const [run, setRun] = useState("any");
  const [sign, setSign] = useState<Sign>("=");
  const [value, setValue] = useState("");
  const column = chosen ?? columns[0] ?? "";
  const list = useId();
  const known = useMemo(() => knownValues(tables, column), [tables, column]);
  const add = () => {
    onAdd({ column, run, sign, value: value.trim() });
    setValue("");
  };
  return (
    <form class="condition" aria-label={`A condition on ${name}`} onSubmit={withoutReload(add)}>
      <Choose
        label="column"
        value={column}
        options={columns.map((one) => [one, one])}
        onChoose={setChosen}
      />
      {tables.length > 1 && (
        <Choose
          label="of"
          title="The run whose column is meant"
          value={run}
          options={[
            ["any", "any run"],
            ["all", "all runs"],
            ...tables.map((one) => [one.experimentId, one.name] as const),
          ]}
          onChoose={setRun}
        />
      )}
      <select
        aria-label="condition"
        value={sign}
        onChange={({ currentTarget }) => setSign(currentTarget.value as Sign)}
      >
        {signs.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <input
        type="text"
        aria-label="value"
        placeholder="value"
        list={list}
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <datalist id={list}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button>add</button>
    </form>
  );
}

/** How many rows fulfil a condition, whatever the others say. */
function countOf(condition: Condition, sheet: Sheet, tables: readonly RunTable[]): number {
  const { partOf } = sheet;
  if (partOf === undefined)
    return tablesWhere(tables, [condition]).reduce((sum, { table }) => sum + table.rows.length, 0);
  const isFound = fulfilling([condition], tables);
  return sheet.rows.filter((row) => isFound((table) => partOf(row, table))).length;
}

/** A condition in words: `correct of nanogpt/adam = true`. */
function wordsOf({ column, run, sign, value }: Condition, tables: readonly RunTable[]): string {
  const named = tables.find(({ experimentId }) => experimentId === run)?.name;
  const words =
    run === "any" ? "any run" : run === "all" ? "all runs" : (named ?? "a run that is not here");
  const of = tables.length === 1 && run === "any" ? "" : ` of ${words}`;
  return `${column}${of} ${sign} ${value === "" ? "nothing" : value}`;
}

/** Values offered at most, and rows in which they are looked for. */
const [valuesMax, looksMax] = [40, 5_000];

/** The values of a column, if they are few. */
function knownValues(tables: readonly RunTable[], column: string): string[] {
  const found = new Set<string>();
  for (const { columns, table } of tables) {
    const place = columns.indexOf(column);
    if (place < 0) continue;
    for (const row of table.rows.slice(0, looksMax)) {
      const text = cellText(row[place]);
      if (text !== "" && mediaOf(row[place]) === undefined && text.length < 100) found.add(text);
      if (found.size > valuesMax) return [];
    }
  }
  return [...found].sort();
}

import type { TableRow } from "@lossless/protocol";
import type { Direction } from "../../parts/directions.ts";
import { cellTests } from "./cell-tests.ts";
import { type CellValue, copiedText } from "./cell-text.ts";
import type { Column } from "./columns.ts";
import { directionOf } from "./marks.ts";
import type { Address } from "./use-address.ts";
import { withTest } from "./with-test.ts";

export interface CellActions {
  row: TableRow;
  /** Undefined: the cell is that of the name. */
  column: Column | undefined;
  value: CellValue;
  address: Address;
  onOpen: (experimentId: string) => void;
  /** Undefined: the reader may not. */
  onRename: ((experimentId: string) => void) | undefined;
  onColour: ((experimentIds: readonly string[]) => void) | undefined;
  onCopy: (text: string) => void;
}

/** The entries of a cell's menu. */
export function cellEntries(actions: CellActions): MenuEntry[] {
  const { row, column, value, address, onOpen, onRename, onColour, onCopy } = actions;
  const { experimentId, name, slug } = row;
  const isBaseline = address.baseline === experimentId;
  const tests = column === undefined ? [] : cellTests(column, value);
  return [
    { words: "open", keys: "Enter", act: () => onOpen(experimentId) },
    ...(onRename === undefined
      ? []
      : [{ words: "rename…", keys: "F2", act: () => onRename(experimentId) }]),
    ...(onColour === undefined ? [] : [{ words: "colour…", act: () => onColour([experimentId]) }]),
    {
      words: isBaseline ? "remove the baseline" : "use as the baseline",
      act: () => address.compareWith(isBaseline ? undefined : experimentId),
    },
    {
      words: column === undefined ? "copy the name" : "copy the value",
      keys: "Ctrl C",
      act: () => onCopy(column === undefined ? (name ?? slug) : copiedText(column, value)),
    },
    ...tests.map((test, at) => ({
      words: `find ${test}`,
      begins: at === 0,
      act: () => address.search(withTest(address.query, test)),
    })),
    ...(column === undefined ? [] : directionEntries(column, address)),
  ];
}

/** An entry of the menu; a line is drawn before one that begins a group. */
export interface MenuEntry {
  words: string;
  keys?: string;
  begins?: boolean;
  act: () => void;
}

const directionWords: Readonly<Record<Direction, string>> = {
  least: "mark the least value as best",
  most: "mark the greatest value as best",
  none: "mark no value as best",
};

function directionEntries(column: Column, address: Address): MenuEntry[] {
  const { kind } = column;
  if (kind.kind !== "metric") return [];
  const present = directionOf(column, address.directions);
  const others = (["least", "most", "none"] as const).filter((each) => each !== present);
  return others.map((direction, at) => ({
    words: directionWords[direction],
    begins: at === 0,
    act: () => address.direct(kind.name, direction),
  }));
}

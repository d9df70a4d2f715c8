import {
  countedBars,
  type Drawing,
  isObject,
  type Layer,
  nameOf,
  NotDrawn,
  numberOf,
  Places,
  plotNumbersMax,
} from "./drawing.ts";
import { type LoggedTable, tableOf } from "./table-json.ts";

/** Bars of a histogram of a column. */
const histogramBins = 50;

/** Draws a plot of our client: its kind, the columns that it names, and their table. */
export function clientPlot(json: unknown): Drawing {
  if (!isObject(json)) throw new NotDrawn("The file is no plot.");
  const table = tableOf(json["table"]);
  if (table === undefined) throw new NotDrawn("The plot has no table.");
  if (table.rows.length * table.columns.length > plotNumbersMax)
    throw new NotDrawn("The plot has too many numbers to be drawn here.");
  const text = (name: string) => (typeof json[name] === "string" ? json[name] : "");
  const given: Given = { table, title: text("title"), text };
  switch (json["plot"]) {
    case "line":
    case "line_series":
      return lines(given);
    case "scatter":
      return scatter(given);
    case "bar":
      return bars(given);
    case "histogram":
      return histogram(given);
    case "confusion_matrix":
      return confusion(given);
    default:
      throw new NotDrawn(`Plots of the kind ${nameOf(json["plot"])} are shown as a table.`);
  }
}

interface Given {
  table: LoggedTable;
  title: string;
  /** A field of the plot. */
  text: (name: string) => string;
}

function columnOf({ columns, rows }: LoggedTable, name: string): unknown[] {
  const at = columns.indexOf(name);
  if (at < 0) throw new NotDrawn(`The plot's table has no column ${JSON.stringify(name)}.`);
  return rows.map((row) => row[at]);
}

function lines({ table, title, text }: Given): Drawing {
  const [x, y] = [columnOf(table, text("x")), columnOf(table, text("y"))];
  const stroke = text("stroke");
  const names = stroke === "" ? x.map(() => "") : columnOf(table, stroke).map(nameOf);
  const [across, up] = [new Places(x), new Places(y)];
  const rows = x.map((_, at) => at);
  const layers = [...Map.groupBy(rows, (at) => names[at])].map(([name, own]): Layer => {
    // The rows of a table are in any order.
    const inOrder = across.names === undefined ? sorted(own, (at) => across.of(x[at])) : own;
    return {
      kind: "line",
      name,
      x: inOrder.map((at) => across.of(x[at])),
      y: inOrder.map((at) => up.of(y[at])),
    };
  });
  const xTitle = text("xname") || text("x");
  return {
    title,
    x: { title: xTitle, names: across.names },
    y: { title: text("y"), names: up.names },
    layers,
  };
}

/** Stable, so that a ROC curve, which goes up at one x, stays as it is there. */
function sorted(rows: readonly number[], placeOf: (row: number) => number): number[] {
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function scatter({ table, title, text }: Given): Drawing {
  const [x, y] = [columnOf(table, text("x")), columnOf(table, text("y"))];
  const [across, up] = [new Places(x), new Places(y)];
  return {
    title,
    x: { title: text("x"), names: across.names },
    y: { title: text("y"), names: up.names },
    layers: [
      {
        kind: "points",
        name: "",
        x: x.map((value) => across.of(value)),
        y: y.map((value) => up.of(value)),
      },
    ],
  };
}

function bars({ table, title, text }: Given): Drawing {
  const names = columnOf(table, text("label")).map(nameOf);
  const values = columnOf(table, text("value")).map(numberOf);
  const all = values.map((value, at) => ({ left: at - 0.4, right: at + 0.4, from: 0, to: value }));
  return {
    title,
    x: { title: text("value") },
    // The first label is at the top.
    y: { title: text("label"), names, isReversed: true },
    layers: [{ kind: "bars", name: "", bars: all, isAcross: true }],
  };
}

function histogram({ table, title, text }: Given): Drawing {
  const values = columnOf(table, text("value")).map(numberOf);
  return {
    title,
    x: { title: text("value") },
    y: { title: "count" },
    layers: [{ kind: "bars", name: "", bars: countedBars(values, histogramBins), isAcross: false }],
  };
}

function confusion({ table, title, text }: Given): Drawing {
  const actual = columnOf(table, text("actual")).map(nameOf);
  const predicted = columnOf(table, text("predicted")).map(nameOf);
  const values = columnOf(table, text("value")).map(numberOf);
  const names = [...new Set([...actual, ...predicted])];
  const at = new Map(names.map((name, place) => [name, place]));
  const rows = names.map(() => names.map(() => 0));
  for (const [row, value] of values.entries())
    rows[at.get(actual[row])!][at.get(predicted[row])!] += value;
  return {
    title,
    x: { title: text("predicted"), names },
    y: { title: text("actual"), names, isReversed: true },
    layers: [{ kind: "cells", rows }],
  };
}

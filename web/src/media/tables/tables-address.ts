import { isObject } from "../plots/drawing.ts";
import { type Condition, signs } from "./conditions.ts";

/** How the tables of one name are shown. */
export interface TablesView {
  /** Each by itself; joined by a key; one below the other; the first or second, as fits them. */
  as: "apart" | "joined" | "stacked" | "usual";
  /** The column of the keys; undefined: the usual one. */
  key?: string;
  areDifferent?: boolean;
  /** The column in which they differ, "" for any; undefined: any without decimals. */
  differIn?: string;
  /** The conditions that rows fulfil. */
  where?: readonly Condition[];
  /** The column by which rows are grouped, "" for all as one group; undefined: they are not. */
  by?: string;
  search?: string;
  /** The key of the column that orders rows. */
  order?: string;
  isDescending?: boolean;
}

/** The parameter of the address: views as JSON, by the names of tables. */
export const tablesParameter = "tables";

/** How the tables of a name are shown; an address that says anything else counts as none. */
export function tablesViewOf(text: string | undefined, name: string): TablesView {
  const view = viewsIn(text)[name];
  if (!isObject(view)) return { as: "usual" };
  const { as, key, areDifferent, differIn, where, by, search, order, isDescending } = view;
  return {
    as: as === "joined" || as === "stacked" || as === "apart" ? as : "usual",
    ...(typeof key === "string" && { key }),
    ...(areDifferent === true && { areDifferent }),
    ...(typeof differIn === "string" && { differIn }),
    ...(Array.isArray(where) && where.length > 0 && { where: where.flatMap(conditionOf) }),
    ...(typeof by === "string" && { by }),
    ...(typeof search === "string" && { search }),
    ...(typeof order === "string" && { order }),
    ...(isDescending === true && { isDescending }),
  };
}

/** The parameter with another view of the tables of a name; undefined: all are as usual. */
export function tablesWith(
  text: string | undefined,
  name: string,
  view: TablesView,
): string | undefined {
  const views = { ...viewsIn(text), [name]: tablesViewOf(JSON.stringify({ [name]: view }), name) };
  if (view.as === "usual") delete views[name];
  return Object.keys(views).length === 0 ? undefined : JSON.stringify(views);
}

/** A condition of the address; a list, so that others leave no trace. */
function conditionOf(given: unknown): Condition[] {
  if (!isObject(given)) return [];
  const { column, run = "any", value } = given;
  const sign = signs.find((one) => one === given["sign"]);
  return typeof column === "string" && typeof run === "string" && typeof value === "string" && sign
    ? [{ column, run, sign, value }]
    : [];
}

function viewsIn(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const views: unknown = JSON.parse(text);
    return isObject(views) && !Array.isArray(views) ? views : {};
  } catch {
    return {};
  }
}

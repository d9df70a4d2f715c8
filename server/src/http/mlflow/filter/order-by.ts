import type { OrderBy } from "../../../experiments/mlflow/order.ts";
import { invalid } from "../message.ts";
import { fieldOf, type Language } from "./language.ts";

const clause = /^\s*((?:[^\s`"]|`[^`]*`|"[^"]*")+)(?:\s+(\S+))?\s*$/;

/** Parses the clauses of an order, each field once. */
export function parseOrderBy(clauses: readonly string[], language: Language): OrderBy[] {
  const seen = new Set<string>();
  return clauses.map((written) => {
    const match = clause.exec(written);
    if (match === null) {
      throw invalid(`Invalid order_by clause '${written}'. Could not be parsed.`);
    }
    const [, identifier, direction = "asc"] = match;
    if (!["asc", "desc"].includes(direction.toLowerCase())) {
      throw invalid(`Invalid ordering key in order_by clause '${written}'.`);
    }
    const field = fieldOf(identifier, language);
    if (field.kind === "dataset") throw invalid("Invalid identifier type 'dataset'");
    const name = JSON.stringify([field.kind, field.key]);
    if (seen.has(name)) {
      const all = clauses.map((one) => `'${one}'`).join(", ");
      throw invalid(`\`order_by\` contains duplicate fields: [${all}]`);
    }
    seen.add(name);
    return { field, isAscending: direction.toLowerCase() === "asc" };
  });
}

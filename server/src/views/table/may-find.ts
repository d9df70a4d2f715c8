import type { Query } from "@lossless/protocol";
import { fieldsOf } from "@lossless/protocol/query-language";
import { isOwn, searched } from "./compile-query.ts";
import { metaPath } from "./known-names.ts";
import { isOfPoints } from "./own-columns.ts";
import type { LateExperiment } from "./summaries-behind.ts";
import { findAmong, findsAll, type Search } from "./table-search.ts";

/**
 * Returns the function that picks, of the experiments behind, those that a search may miss or show
 * as they were; undefined: all of them.
 */
export function concernedBy(search: Search) {
  if (findsAll(search)) return undefined;
  return (behind: readonly LateExperiment[]) => mayFind(search, behind);
}

/**
 * Returns the experiments that a search finds, or would find with complete data: an experiment
 * whose metrics or meta are not up to date may pass any test of them or none.
 */
export async function mayFind(
  search: Search,
  late: readonly LateExperiment[],
): Promise<ReadonlySet<string>> {
  const ids = late.map(({ experiment }) => experiment);
  // A late meta may have any value by which a group is told.
  const whole = { ...search, group: undefined };
  const all = new Set(await findAmong({ ...whole, query: everything }, ids));
  return new Tests(whole, late, all).of(search.query, "possible");
}

const everything: Query = { kind: "and", parts: [] };

/**
 * Possible: experiments for which a query may hold. Certain: those for which it holds in any case.
 */
type Truth = "possible" | "certain";

class Tests {
  readonly #search: Search;
  readonly #late: readonly LateExperiment[];
  readonly #all: ReadonlySet<string>;

  constructor(search: Search, late: readonly LateExperiment[], all: ReadonlySet<string>) {
    this.#search = search;
    this.#late = late;
    this.#all = all;
  }

  async of(query: Query, truth: Truth): Promise<ReadonlySet<string>> {
    if (isOwn(query) && !fieldsOf(query).some(isOfPoints)) return this.#found(query);
    switch (query.kind) {
      case "and": {
        let both = this.#all;
        for (const part of query.parts) both = both.intersection(await this.of(part, truth));
        return both;
      }
      case "or": {
        let either: ReadonlySet<string> = new Set();
        for (const part of query.parts) either = either.union(await this.of(part, truth));
        return either;
      }
      case "not":
        return this.#all.difference(
          await this.of(query.part, truth === "possible" ? "certain" : "possible"),
        );
      case "search":
        return this.of(searched(query), truth);
      case "compare":
      case "in":
      case "exists": {
        const found = await this.#found(query);
        const unknown = this.#unknown(query);
        return truth === "possible" ? found.union(unknown) : found.difference(unknown);
      }
    }
  }

  async #found(query: Query): Promise<ReadonlySet<string>> {
    return new Set(await findAmong({ ...this.#search, query }, [...this.#all]));
  }

  /** Returns the experiments for which a test cannot be decided. */
  #unknown(query: Query): ReadonlySet<string> {
    const fields = fieldsOf(query);
    const ofMetrics = fields.some(isOfPoints);
    const ofMetas = fields.some((field) => metaPath(field) !== undefined);
    const those = this.#late.filter(
      ({ of_metrics, of_metas }) => (ofMetrics && of_metrics === 1) || (ofMetas && of_metas === 1),
    );
    return this.#all.intersection(new Set(those.map(({ experiment }) => experiment)));
  }
}

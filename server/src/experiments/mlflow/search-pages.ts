import { nextPage, type Walk, type WalkContext } from "../../ground/walk.ts";
import { newWalk, walkOf } from "../../ground/walk-name.ts";
import type { PageEnd, SearchPosition } from "./order.ts";

/** A search whose pages are read one after the other. */
export interface PagedSearch extends Pick<Walk, "organizationId" | "asked" | "findAmong"> {
  /** Reads the places now behind a page, in order, at most `placesMax`. */
  readBehind(after: SearchPosition | undefined, placesMax: number): Promise<SearchPosition[]>;
}

interface Page {
  ids: string[];
  /** Where the page ends if it shows this many; undefined: the search finds no more. */
  endAt: (shown: number) => PageEnd | undefined;
}

/** Finds a page, at most `limit` places. The pages of one walk do not sort all places anew. */
export async function findPage(
  search: PagedSearch,
  after: PageEnd | undefined,
  limit: number,
  context: WalkContext,
): Promise<Page> {
  const walk: Walk = {
    ...search,
    name: walkOf(after) ?? newWalk(context.nowMs),
    async readBehind(from, rowsMax) {
      const places = await search.readBehind(from.after, rowsMax);
      return { rows: places.map((place) => ({ part: 0, ...place })), total: undefined };
    },
  };
  const from = { part: 0, after };
  // One more place tells whether these are the last.
  const { rows } =
    after === undefined
      ? await walk.readBehind(from, limit + 1)
      : await nextPage(walk, context, from, limit + 1);
  return {
    ids: rows.slice(0, limit).map(({ id }) => id),
    endAt: (shown) => {
      if (rows.length <= shown) return undefined;
      const { id, values } = rows[shown - 1];
      return { values, id, walk: walk.name };
    },
  };
}

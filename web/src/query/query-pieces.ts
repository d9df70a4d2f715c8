import type { QueryMark } from "@lossless/protocol/query-language";

/** A coloured piece of a query; together the pieces are the whole query. */
export interface Piece {
  text: string;
  role: QueryMark["role"] | "wrong" | "rest";
}

/** Splits a query; everything from the error on is one piece. */
export function piecesOf(
  query: string,
  marks: readonly QueryMark[],
  errorAt: number | undefined,
): Piece[] {
  const pieces: Piece[] = [];
  const end = errorAt ?? query.length;
  let at = 0;
  const add = (to: number, role: Piece["role"]): void => {
    if (to > at) pieces.push({ text: query.slice(at, to), role });
    at = Math.max(at, to);
  };
  for (const mark of marks.filter((each) => each.end <= end)) {
    add(mark.start, "rest");
    add(mark.end, mark.role);
  }
  add(end, "rest");
  add(query.length, "wrong");
  return pieces;
}

/** An endpoint with the types of its query, body and reply; endpoints.ts lists all of them. */
export interface Endpoint<Query, Body, Reply> {
  readonly method: Method;
  readonly path: string;
  /** Never set: carries the types only. */
  readonly types?: { query: Query; body: Body; reply: Reply };
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export function endpoint<Query, Body, Reply>(
  method: Method,
  path: string,
): Endpoint<Query, Body, Reply> {
  return { method, path };
}

/** Escapes a segment of a path. */
export const segment = encodeURIComponent;

/** An address with the types of what it takes and gives; endpoints.ts has all of them. */
export interface Endpoint<Query, Body, Reply> {
  readonly method: Method;
  readonly path: string;
  /** Stands for the compiler only. */
  readonly types?: { query: Query; body: Body; reply: Reply };
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export function endpoint<Query, Body, Reply>(
  method: Method,
  path: string,
): Endpoint<Query, Body, Reply> {
  return { method, path };
}

/** A part of a path. */
export const segment = encodeURIComponent;

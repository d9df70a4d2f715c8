import type { Reader, Value } from "./database.ts";

export interface Watching {
  onStatement?(sql: string, values: readonly Value[]): void;
  onRows?(rows: readonly unknown[]): void;
}

/** A reader that records its statements and their results. */
export function watchedReader(reader: Reader, { onStatement, onRows }: Watching): Reader {
  const watched = (name: "all" | "composed") => {
    const read: Reader["all"] = async <Row>(sql: string, ...values: Value[]) => {
      onStatement?.(sql, values);
      const rows = await reader[name]<Row>(sql, ...values);
      onRows?.(rows);
      return rows;
    };
    return read;
  };
  const proxy: Reader = new Proxy(reader, {
    get(target, name) {
      if (name === "at") return async () => proxy;
      if (name === "atEach")
        return async (ids: readonly string[]): ReturnType<Reader["atEach"]> => [[proxy, ids]];
      if (name === "all" || name === "composed") return watched(name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return proxy;
}

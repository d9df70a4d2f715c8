import type { Writable } from "node:stream";

/** Also when the connection ends, since nothing drains then. */
export function drained(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      target.off("drain", done).off("close", done);
      resolve();
    };
    target.on("drain", done).on("close", done);
    if (target.destroyed) done();
  });
}

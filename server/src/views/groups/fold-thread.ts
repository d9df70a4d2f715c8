import { parentPort } from "node:worker_threads";
import type { FoldAnswer, FoldWork } from "./folding.ts";
import { ShortFold } from "./short-fold.ts";

/** The thread that folds short lines, of several requests in turn; see folding.ts. */
const folds = new Map<number, ShortFold>();

parentPort?.on("message", (work: FoldWork) => {
  const { request } = work;
  if (work.kind === "begin") folds.set(request, new ShortFold(work.how));
  if (work.kind === "end") folds.delete(request);
  if (work.kind === "add") {
    folds.get(request)!.add(work.lines);
    say({ request });
  }
  if (work.kind === "take") {
    const folded = folds.get(request)!.take();
    const buffers = [...folded.columns.values()].flatMap((columns) =>
      Object.values(columns).flatMap((each: unknown) =>
        ArrayBuffer.isView(each) ? (each.buffer as ArrayBuffer) : [],
      ),
    );
    say({ request, folded }, buffers);
  }
});

function say(answer: FoldAnswer, buffers: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, buffers);
}

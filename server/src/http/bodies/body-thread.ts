import { parentPort } from "node:worker_threads";
import { answerTo, type BodyWork } from "./body-work.ts";

/** The thread that reads large bodies, one after another; see body-reader.ts. */
parentPort?.on("message", ({ work, bytes }: { work: BodyWork; bytes: Uint8Array }) => {
  parentPort?.postMessage(answerTo(work, bytes));
});

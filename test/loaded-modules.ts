/**
 * For `node --import`: appends `thread URL` of every module that the process and its threads load
 * to the file LOADED_MODULES; at the end also what Node has loaded of its own, as
 * `node:internal/…`.
 */
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { threadId } from "node:worker_threads";

const file = process.env.LOADED_MODULES!;
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${threadId} ${url}\n`);
    return next(url, context);
  },
});

process.on("exit", () => {
  const { moduleLoadList } = process as typeof process & { moduleLoadList: string[] };
  const names = moduleLoadList.map((name) => name.replace(/^.* /, ""));
  for (const name of names) appendFileSync(file, `${threadId} node:${name}\n`);
});

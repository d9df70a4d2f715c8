import { flagged } from "../database/operation.ts";
import { appendConsole } from "./append.ts";
import { readConsole } from "./read.ts";
import { sealConsole } from "./seal.ts";
import { searchConsole } from "./search.ts";

export const consoleWrites = {
  "console.append": appendConsole,
  "console.seal": flagged(sealConsole, { onFullDisk: true }),
};

export const consoleReplies = {
  "console.read": readConsole,
  "console.search": searchConsole,
};

import { readAttempts } from "./read.ts";
import { reportAttempt } from "./report.ts";

export const attemptWrites = {
  "attempt.report": reportAttempt,
};

export const attemptReplies = {
  "attempt.read": readAttempts,
};

import { attemptStates } from "./attempt-states.ts";
import { closedObject, count, milliseconds, oneOfStrings } from "./schema.ts";
import * as Type from "./type.ts";

export const attemptState = oneOfStrings("AttemptState", [...attemptStates]);

/** How an attempt is. */
export const standing = {
  state: attemptState,
  sinceMs: milliseconds(
    "When the attempt ended; silent: when it was seen alive last; running: when it began.",
  ),
  exitCode: Type.Optional(Type.Integer()),
  signal: Type.Optional(Type.Integer()),
};

/** For a row of a table, or the head of a page. */
export const Liveness = closedObject("Liveness", {
  attempts: count("Attempts of the experiment; what follows is of the newest one."),
  ...standing,
  beatAtMs: milliseconds(
    "When a process of it was seen alive last, of those that have not ended where there are any.",
  ),
});
export type Liveness = Type.Static<typeof Liveness>;

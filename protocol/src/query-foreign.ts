import { nearNames } from "./near-names.ts";
import type { FieldType } from "./query-field.ts";
import type { Token } from "./query-tokens.ts";
import { isDate, readValue, unitsMs, wordsOf } from "./query-value.ts";

/** Words of other trackers for what this language writes otherwise; they are refused with ours. */

const states: Readonly<Record<string, { status: string; state: string }>> = {
  finished: { status: "done", state: "finished" },
  completed: { status: "done", state: "finished" },
  complete: { status: "done", state: "finished" },
  success: { status: "done", state: "finished" },
  succeeded: { status: "done", state: "finished" },
  done: { status: "done", state: "finished" },
  error: { status: "error", state: "exited" },
  failed: { status: "error", state: "exited" },
  failure: { status: "error", state: "exited" },
  exited: { status: "error", state: "exited" },
  crashed: { status: "error", state: "gone" },
  gone: { status: "error", state: "gone" },
  lost: { status: "error", state: "gone" },
  killed: { status: "error", state: "killed" },
  preempted: { status: "error", state: "killed" },
  active: { status: "running", state: "running" },
  silent: { status: "running", state: "silent" },
};

/** The status that a state of a process, or of another tracker, means. */
export function statusOf(word: string): string | undefined {
  return entryOf(states, word.toLowerCase())?.status;
}

/**
 * The value that may be meant by one that a field of this type cannot be compared with; `next` is
 * the text behind it.
 */
export function meantValue(type: FieldType, text: string, next: string): string | undefined {
  if (type === "status" || type === "state")
    return entryOf(states, text.toLowerCase())?.[type] ?? nearNames(text, wordsOf(type), 1)[0];
  if (type === "duration") return duration(text, next);
  if (type !== "time") return undefined;
  if (/^(to|yester)day$/i.test(text)) return "-1d";
  const length = duration(text, next);
  return length === undefined ? moment(text, next) : `-${length.replace("-", "")}`;
}

/** The tests in place of `between 1 and 2` or `between (1, 2)`, given what follows the word. */
export function twoTests(field: string, behind: readonly Token[]): string {
  const values = behind.slice(0, 5).filter((token) => {
    return token.kind === "word" && readValue(token).kind !== "text";
  });
  const [least, most] = values.length < 2 ? ["1", "2"] : values.map(({ text }) => text);
  return `two tests such as ${field} >= ${least} and ${field} <= ${most}`;
}

/** A length such as `1 h`, `60min` or `7 days`. */
function duration(text: string, next: string): string | undefined {
  const whole = /^-?\d+$/.test(text) ? `${text}${next}` : text;
  const [, count, unit] = /^(-?\d{1,9})(mins?|[a-z])[a-z]*$/i.exec(whole) ?? [];
  if (count === undefined || /month/i.test(whole)) return undefined;
  const short = unit[0].toLowerCase();
  return Object.hasOwn(unitsMs, short) ? `${count}${short}` : undefined;
}

/** A date such as 2026/03/01, or a moment such as 2026-03-01 12:00:00. */
function moment(text: string, next: string): string | undefined {
  const [, day, ownTime] =
    /^(\d{4}[-/]\d\d[-/]\d\d)(?:[T ]?(\d\d:\d\d(?::\d\d)?))?/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const time = ownTime ?? /^\d\d:\d\d(?::\d\d)?/.exec(next)?.[0];
  const meant = day.replaceAll("/", "-") + (time === undefined ? "" : `T${time}Z`);
  return isDate(meant) ? meant : undefined;
}

function entryOf<Entry>(all: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

import { limits } from "../limits.ts";
import type { Asking, Paged, Tool } from "./tool.ts";

/** Bytes for what an answer says when it has fewer entries. */
const toldBytes = 1_000;
const endless = Number.MAX_SAFE_INTEGER;
/** Fields that are needed whole. */
const whole = new Set(["next", "more", "page"]);
const reason = "because the answer would be too long";

/**
 * Calls a tool and writes its answer as JSON within the bytes of an answer. A page that is too long
 * is asked for again with fewer entries: the service computes where the next one begins.
 */
export async function answerOf(
  { run, paged }: Pick<Tool, "run" | "paged">,
  asking: Asking,
  given: object,
): Promise<string> {
  const call = (more: object) => run(asking, { ...given, ...more } as never);
  let answer = await call({});
  if (paged === undefined) return answerText(answer);
  const first = entriesIn(answer, paged).length;
  let before = endless;
  for (;;) {
    const entries = entriesIn(answer, paged);
    const fits = bytesOf(answer) <= limits.toolAnswerBytesMax;
    if (fits || entries.length <= 1 || entries.length >= before) break;
    before = entries.length;
    answer = await call({ [paged.limit]: fitting(answer, entries, paged) });
  }
  const left = first - entriesIn(answer, paged).length;
  if (left <= 0) return answerText(answer);
  const told = `${left} of ${first} entries are left out, ${reason}: \`more\` says how to get them.`;
  return answerText(answer, { [paged.lists.join(", ")]: told });
}

function entriesIn(answer: object, { lists }: Paged): unknown[] {
  return lists.flatMap((name) => (answer as Record<string, unknown[]>)[name] ?? []);
}

/** Returns how many entries fit from the kept end on: at least 1, and fewer than there are. */
function fitting(answer: object, entries: unknown[], { lists, keeps }: Paged): number {
  const bare = bytesOf({ ...answer, ...Object.fromEntries(lists.map((name) => [name, []])) });
  let room = limits.toolAnswerBytesMax - bare - toldBytes;
  const nearest = keeps === "first" ? entries : entries.toReversed();
  const over = nearest.findIndex((entry) => (room -= bytesOf(entry) + 1) < 0);
  return Math.max(1, Math.min(over === -1 ? endless : over, entries.length - 1));
}

/** Limits of a field of an answer. */
interface Cut {
  characters: number;
  entries: number;
  /** Entries of each list and object inside of it. */
  nested: number;
}

/**
 * Writes an answer as JSON within the bytes of an answer. Of one that is too long the longest field
 * is cut, then the next: its texts first, then its entries. `leftOut` says what is missing.
 */
export function answerText(answer: object, told: Record<string, string> = {}): string {
  const cuts = new Map<string, Cut>();
  for (;;) {
    const shown = Object.entries(answer).map(([name, value]): [string, unknown] => {
      const cut = cuts.get(name);
      return [name, cut === undefined ? value : cutValue(value, cut)];
    });
    const missing = [...cuts].map(([name, cut]): [string, string] => [
      name,
      sentence((answer as Record<string, unknown>)[name], cut),
    ]);
    const leftOut = { ...told, ...Object.fromEntries(missing) };
    const text = JSON.stringify({
      ...Object.fromEntries(shown),
      ...(Object.keys(leftOut).length > 0 && { leftOut }),
    });
    if (new TextEncoder().encode(text).length <= limits.toolAnswerBytesMax) return text;
    const next = shown
      .filter(([name]) => !whole.has(name))
      .toSorted(([, one], [, other]) => bytesOf(other) - bytesOf(one))
      .map(([name, value]) => [name, tighter(value, cuts.get(name))] as const)
      .find(([, cut]) => cut !== undefined);
    if (next === undefined) return JSON.stringify({ leftOut: `Everything, ${reason}.` });
    cuts.set(next[0], next[1]!);
  }
}

/** Returns the next limits for a field as it is shown; undefined: nothing of it can be left out. */
function tighter(
  shown: unknown,
  cut: Cut = { characters: endless, entries: endless, nested: endless },
) {
  const text = Math.min(longestText(shown), cut.characters);
  if (text > limits.toolTextKeptCharacters)
    return { ...cut, characters: Math.max(limits.toolTextKeptCharacters, Math.floor(text / 2)) };
  const entries = sizeOf(shown);
  if (entries > 1) return { ...cut, entries: Math.floor(entries / 2) };
  const nested = Math.max(0, ...contentOf(shown).map(largest));
  if (nested > 1) return { ...cut, nested: Math.floor(nested / 2) };
  return entries > 0 ? { ...cut, entries: 0 } : undefined;
}

function cutValue(value: unknown, { characters, entries, nested }: Cut): unknown {
  if (typeof value === "string") {
    if (value.length <= characters) return value;
    return `${value.slice(0, characters).toWellFormed()}… (${value.length} characters)`;
  }
  const inner = { characters, entries: nested, nested };
  if (Array.isArray(value)) return value.slice(0, entries).map((one) => cutValue(one, inner));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).slice(0, entries);
  return Object.fromEntries(kept.map(([name, one]) => [name, cutValue(one, inner)]));
}

function sentence(value: unknown, { characters, entries, nested }: Cut): string {
  const size = sizeOf(value);
  const words = [
    ...(size > entries ? [`${size - entries} of ${size} entries are left out`] : []),
    ...(nested < endless ? [`lists and objects in it have ${nested} entries at most`] : []),
    ...(characters < endless ? [`texts have ${characters} characters at most`] : []),
  ];
  return `${words.join(", ")}, ${reason}: ask for fewer, or more narrowly.`;
}

/** Returns what a list or an object has. */
function contentOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function sizeOf(value: unknown): number {
  return contentOf(value).length;
}

function largest(value: unknown): number {
  return contentOf(value).reduce(
    (most: number, one) => Math.max(most, largest(one)),
    sizeOf(value),
  );
}

function longestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  return contentOf(value).reduce((most: number, one) => Math.max(most, longestText(one)), 0);
}

function bytesOf(value: unknown): number {
  return value === undefined ? 0 : new TextEncoder().encode(JSON.stringify(value)).length;
}

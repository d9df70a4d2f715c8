import { canonicalJson } from "@lossless/protocol/canonical-json";
import type { LoggedTextsBody, LoggedTextsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { isLoggedBehind } from "../../experiments/from-before.ts";
import { pages } from "../../ground/pages.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { type ItemRow, metadataOf, readRows, textOf, timeOf } from "./item.ts";
import { findSeries, type FoundSeries } from "./series.ts";

export interface ReadLoggedTexts {
  organizationId: string;
  body: LoggedTextsBody;
}

/** Texts before a range among which those are found that hold at its start. */
const lookedBackMax = 1_000;
const textsPerPageMax = 500;

/** `views/logged-texts`: a text over steps, as states one after another. */
export async function readLoggedTexts(
  reader: Reader,
  { organizationId, body }: ReadLoggedTexts,
  text: ReplyText,
): Promise<void> {
  const { experimentIds, name, start = 0, statesMax = limits.loggedStatesMax } = body;
  const named = [{ kind: "text", name } as const];
  const series = await findSeries(reader, organizationId, experimentIds, named);
  const share = Math.max(1, series.length);
  const most = {
    states: Math.max(1, Math.floor(statesMax / share)),
    texts: Math.floor(limits.loggedTextsReadMax / share),
  };
  const end = body.end ?? limits.stepMax + 1;
  const all: Lanes[] = [];
  for (const one of series) {
    const lanes = new Lanes(one);
    if (start > 0) await addBefore(reader, one, start, lanes);
    await addWithin(reader, one, { start, end }, lanes, most);
    all.push(lanes);
  }
  const cut = Math.min(...all.map((lanes) => lanes.cutStep ?? Infinity));
  const reply: LoggedTextsReply = {
    lanes: all.flatMap((lanes) => lanes.upTo(cut)),
    end: Number.isFinite(cut) ? cut : null,
    isBehind: await isLoggedBehind(reader, { organizationId, experimentIds }),
  };
  await text.add(JSON.stringify(reply));
}

/** Adds the texts that hold at the start of the range. */
async function addBefore(reader: Reader, series: FoundSeries, start: number, lanes: Lanes) {
  const rows = await readRows(reader, series, {
    where: "logged.step < $3",
    values: [start],
    isDescending: true,
    limit: lookedBackMax,
  });
  for (const row of rows) lanes.addBefore(row);
}

async function addWithin(
  reader: Reader,
  series: FoundSeries,
  { start, end }: { start: number; end: number },
  lanes: Lanes,
  most: { states: number; texts: number },
): Promise<void> {
  let last: Pick<ItemRow, "step" | "annotation"> = { step: start, annotation: -1 };
  let texts = 0;
  const read = async (limit: number) => {
    const rows = await readRows(reader, series, {
      where: "(logged.step, logged.annotation) > ($3, $4) AND logged.step < $5",
      values: [last.step, last.annotation, end],
      limit,
    });
    last = rows.at(-1) ?? last;
    return rows;
  };
  const sizeOf = ({ text, meta }: ItemRow) => text!.length + meta!.length;
  for await (const rows of pages(textsPerPageMax, read, sizeOf))
    for (const row of rows) {
      const isFull = lanes.states >= most.states || texts >= most.texts;
      // At least one step is complete, so that the next request begins later.
      if (isFull && row.step > Math.max(start, lanes.lastStep)) {
        lanes.cutStep = row.step;
        return;
      }
      lanes.add(row);
      texts += 1;
    }
}

type State = LoggedTextsReply["lanes"][number]["states"][number];
/** A state, and its whole text. */
type WholeState = State & { whole: string };

interface Lane {
  metadata: Record<string, string>;
  states: WholeState[];
  /** Whether another text precedes its first state. */
  isBegun: boolean;
}

/** The lanes of an experiment, one for each metadata. */
class Lanes {
  /** The step at which they end, though more follow. */
  cutStep: number | undefined;
  lastStep = -1;
  states = 0;
  readonly #series: FoundSeries;
  readonly #lanes = new Map<string, Lane>();

  constructor(series: FoundSeries) {
    this.#series = series;
  }

  /** Adds a text of before the range; the last one comes first. */
  addBefore(row: ItemRow): void {
    const meta = JSON.parse(row.meta!) as Record<string, unknown>;
    const lane = this.#lane(meta);
    if (lane === undefined || lane.isBegun) return;
    const state = this.#state(row, meta);
    const first = lane.states.at(0);
    if (first === undefined) this.#push(lane, state);
    else if (first.whole === state.whole) lane.states[0] = { ...state, items: first.items + 1 };
    else lane.isBegun = true;
  }

  add(row: ItemRow): void {
    const meta = JSON.parse(row.meta!) as Record<string, unknown>;
    this.lastStep = row.step;
    const lane = this.#lane(meta);
    if (lane === undefined) return;
    const state = this.#state(row, meta);
    // The last of several texts at one step holds.
    if (lane.states.at(-1)?.step === state.step && lane.states.at(-1)?.whole !== state.whole) {
      lane.states.pop();
      this.states -= 1;
    }
    const before = lane.states.at(-1);
    if (before?.whole === state.whole) before.items += 1;
    else this.#push(lane, state);
  }

  /** Returns the states that begin before a step, each until the next one. */
  upTo(end: number): LoggedTextsReply["lanes"] {
    return [...this.#lanes.values()].map(({ metadata, states }) => ({
      experimentId: this.#series.experiment,
      metadata,
      states: states.flatMap((state, at) =>
        state.step < end ? [shown(state, states.at(at + 1)?.step ?? null)] : [],
      ),
    }));
  }

  #lane(meta: Record<string, unknown>): Lane | undefined {
    const metadata = metadataOf(meta);
    const key = canonicalJson(metadata);
    const known = this.#lanes.get(key);
    if (known !== undefined || this.#lanes.size === limits.loggedLanesMax) return known;
    const lane = { metadata, states: [], isBegun: false };
    this.#lanes.set(key, lane);
    return lane;
  }

  #state(row: ItemRow, meta: Record<string, unknown>): WholeState {
    const whole = textOf(this.#series.name, row.text!);
    const text = firstCharacters(whole);
    const { timestampMs = row.created_at_ms! } = timeOf(meta);
    const isCut = text.length < whole.length;
    return { whole, text, isCut, step: row.step, timestampMs, endStep: null, items: 1 };
  }

  #push(lane: Lane, state: WholeState): void {
    lane.states.push(state);
    this.states += 1;
  }
}

function shown(
  { text, isCut, step, timestampMs, items }: WholeState,
  endStep: number | null,
): State {
  return { text, isCut, step, timestampMs, endStep, items };
}

function firstCharacters(text: string): string {
  const most = limits.tableTextCharactersMax;
  if (text.length <= most) return text;
  // A character may be two units.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join("");
}

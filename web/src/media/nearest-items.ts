import type { LoggedNearestBody, LoggedNearestReply, LoggedSeries } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import type { FirstItems } from "./first-items.ts";
import { type MediaItem, seriesKey } from "./logged-series.ts";

/** The series on the screen, of experiments, at a step. */
export interface ShownMedia {
  experimentIds: readonly string[];
  series: readonly LoggedSeries[];
  step: number;
  /** Changes when something new may be there. */
  version: string;
}

/** Items of a series by experiment, in the order of the experiments. */
export interface SeriesItems {
  /** The question that they answer. */
  asked: string;
  /** The step of that question. */
  step: number;
  byExperiment: ReadonlyMap<string, readonly MediaItem[]>;
}

type Ask = (body: LoggedNearestBody, stopped: AbortSignal) => Promise<LoggedNearestReply>;

/**
 * Reads the items of the shown series. One request runs at a time, and the next one is about the
 * series and the step that are shown then: whoever slides over a thousand steps causes as many
 * requests as the service answers meanwhile. A series that is answered is not asked for again.
 */
export class NearestItems {
  /** By key of series. */
  readonly #known = new Map<string, SeriesItems>();
  readonly #ask: Ask;
  readonly #tell: (known: ReadonlyMap<string, SeriesItems>, problem: unknown) => void;
  readonly #stopped = new AbortController();
  #shown: ShownMedia | undefined;
  #isReading = false;
  /** Asked for already; undefined: nothing is, or it is known. */
  #first: FirstItems | undefined;

  constructor(
    ask: Ask,
    tell: (known: ReadonlyMap<string, SeriesItems>, problem: unknown) => void,
    first?: FirstItems,
  ) {
    this.#ask = ask;
    this.#tell = tell;
    this.#first = first;
  }

  show(shown: ShownMedia): void {
    this.#shown = shown;
    if (!this.#isReading) void this.#read();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const { signal: stopped } = this.#stopped;
    try {
      for (let wanted = this.#wanted(); wanted !== undefined; wanted = this.#wanted()) {
        const { asked, series, experimentIds, step } = wanted;
        const body = { experimentIds: [...experimentIds], series: [...series], step };
        const first = this.#firstOf(asked);
        const reply = first === undefined ? await this.#ask(body, stopped) : await first.reply;
        if (stopped.aborted) return;
        if (reply === undefined) continue;
        for (const [at, one] of (first?.body ?? body).series.entries())
          this.#known.set(seriesKey(one), { asked, step, byExperiment: itemsOf(reply, at) });
        this.#tell(new Map(this.#known), undefined);
      }
    } catch (error) {
      if (!stopped.aborted) this.#tell(new Map(this.#known), error);
    } finally {
      this.#isReading = false;
    }
  }

  /** The first items, if they answer this question. */
  #firstOf(asked: string): FirstItems | undefined {
    const first = this.#first;
    this.#first = undefined;
    if (first === undefined) return undefined;
    const { experimentIds, step } = first.body;
    return questionOf({ experimentIds, step, version: first.version }) === asked
      ? first
      : undefined;
  }

  /** The shown series that are not answered yet, as many as a request may have. */
  #wanted(): (ShownMedia & { asked: string }) | undefined {
    const shown = this.#shown;
    if (shown === undefined || shown.experimentIds.length === 0) return undefined;
    const { experimentIds } = shown;
    const asked = questionOf(shown);
    const missing = shown.series.filter((one) => this.#known.get(seriesKey(one))?.asked !== asked);
    const most = Math.max(1, Math.floor(limits.loggedNearestMax / experimentIds.length));
    const series = missing.slice(0, Math.min(most, limits.loggedSeriesMax));
    return series.length === 0 ? undefined : { ...shown, series, asked };
  }
}

function questionOf({
  experimentIds,
  step,
  version,
}: Pick<ShownMedia, "experimentIds" | "step" | "version">): string {
  return JSON.stringify([experimentIds, step, version]);
}

function itemsOf({ items }: LoggedNearestReply, series: number): Map<string, MediaItem[]> {
  return Map.groupBy(
    items.filter((item) => item.series === series),
    ({ experimentId }) => experimentId,
  );
}

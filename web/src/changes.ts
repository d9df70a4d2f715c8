import { type ChangesBody, type ChangesReply, isTransient } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { signal } from "@preact/signals";
import { pause } from "./parts/pause.ts";
import { messageOf } from "./parts/words.ts";

/** A part of the page that follows experiments. */
export interface Watch {
  /** The shown experiments with the revisions read; 0 where none was. */
  seen: () => ChangesBody["experiments"];
  /** Whether it also follows the number of experiments. */
  opened?: boolean;
  /**
   * Reads data: first without a reply, then with each reply that concerns it. Nothing more is
   * requested before it resolves. An error is shown as `problem`, and `look` is retried as at the
   * beginning; other watches go on.
   */
  look: (changes: ChangesReply | undefined) => Promise<void> | void;
}

export interface ChangesPage {
  readonly hidden: boolean;
  addEventListener(type: "visibilitychange", listener: () => void): void;
}

interface WatchState {
  /** Whether it has looked since it began, or since it failed. */
  hasLooked: boolean;
}

type Ask = (body: ChangesBody, signal: AbortSignal) => Promise<ChangesReply>;

const longestWaitMs = 25_000;
/** Milliseconds between two looks, so that constant changes are drawn about twice a second. */
const pauseMs = 400;
const problemPauseMs = 1_000;
const problemPauseMsMax = 5_000;
/**
 * Milliseconds of failing requests before a problem is shown: at the third failure in a row, or at
 * the first that comes this late. Slightly less than three seconds, since timers are not exact.
 */
const quietMs = 2_900;
/** Milliseconds that each part waits, where more experiments are shown than a request may name. */
const partWaitMs = 2_000;

/**
 * The single request by which a page learns of changes, whatever it shows. Without a watch, or
 * while the tab is hidden, there are no requests.
 */
export class Changes {
  /** Why the data shown may be old. */
  readonly problem = signal<string | undefined>(undefined);
  readonly #ask: Ask;
  readonly #page: ChangesPage;
  readonly #watches = new Map<Watch, WatchState>();
  #opened: string | undefined;
  #part = 0;
  #asking = new AbortController();
  #isRunning = false;
  #isHeld = false;
  #failures = 0;
  /** Time at which the awaited reply is due. */
  #dueMs = 0;
  #failingSinceMs: number | undefined;
  #beginLooks = (): void => undefined;

  constructor(ask: Ask, page: ChangesPage) {
    this.#ask = ask;
    this.#page = page;
    page.addEventListener("visibilitychange", () => this.again());
  }

  /** Follows until the returned function is called. */
  watch(watch: Watch): () => void {
    this.#watches.set(watch, { hasLooked: false });
    this.#beginLooks();
    this.again();
    return () => {
      this.#watches.delete(watch);
      this.again();
    };
  }

  /** Makes no requests until the returned function is called. */
  hold(): () => void {
    this.#isHeld = true;
    this.again();
    return () => {
      this.#isHeld = false;
      this.again();
    };
  }

  /** Restarts after other experiments are shown: the pending request waits for the wrong ones. */
  again(): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    if (!this.#isRunning) void this.#run();
  }

  get #isWanted(): boolean {
    return this.#watches.size > 0 && !this.#page.hidden && !this.#isHeld;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWanted) {
      const { signal: stopped } = this.#asking;
      try {
        await this.#round(stopped);
        this.#failures = 0;
        this.#failingSinceMs = undefined;
        this.problem.value = undefined;
      } catch (error) {
        if (!stopped.aborted) await this.#fail(error, stopped);
      }
    }
    this.#isRunning = false;
  }

  /** Lets all watches look; a failing one does not keep others from the news. */
  async #round(stopped: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const look = async (watch: Watch, state: WatchState, reply?: ChangesReply) => {
      try {
        await watch.look(reply);
        state.hasLooked = true;
      } catch (error) {
        state.hasLooked = false;
        failures.push(error);
        // It is being retried already.
        if (!stopped.aborted) this.problem.value = messageOf(error);
      }
    };
    await this.#firstLooks(look);
    if (stopped.aborted) return;
    const watches = [...this.#watches].filter(([, { hasLooked }]) => hasLooked);
    if (watches.length === 0) throw failures[0];
    const body = this.#body(watches.map(([watch]) => watch));
    if (failures.length > 0) body.waitMs = 0;
    this.#dueMs = performance.now() + body.waitMs;
    const reply = await this.#ask(body, stopped);
    const changed = new Set(reply.experiments.map(({ experimentId }) => experimentId));
    const isOpened = reply.openedExperiments > 0 || this.#opened === undefined;
    const isConcerned = (watch: Watch) =>
      (isOpened && watch.opened) ||
      watch.seen().some(({ experimentId }) => changed.has(experimentId));
    const concerned = watches.filter(([watch]) => isConcerned(watch));
    await Promise.all(concerned.map(([watch, state]) => look(watch, state, reply)));
    this.#opened = reply.opened;
    if (failures.length > 0) throw failures[0];
    if (changed.size > 0 || isOpened) await pause(pauseMs, stopped);
  }

  /** Runs first looks in parallel, including those of watches added meanwhile. */
  async #firstLooks(look: (watch: Watch, state: WatchState) => Promise<void>): Promise<void> {
    const begun = new Map<Watch, Promise<void>>();
    this.#beginLooks = () => {
      for (const [watch, state] of this.#watches)
        if (!state.hasLooked && !begun.has(watch)) begun.set(watch, look(watch, state));
    };
    this.#beginLooks();
    for (let count = 0; count < begun.size;) {
      count = begun.size;
      await Promise.all(begun.values());
    }
    this.#beginLooks = () => undefined;
  }

  #body(watches: readonly Watch[]): ChangesBody {
    const { experiments, isPart } = this.#partOf(watches.flatMap((watch) => watch.seen()));
    // After a failure the reply should come at once, to show that the service is back.
    const waitMs = this.#failures > 0 ? 0 : isPart ? partWaitMs : longestWaitMs;
    if (!watches.some(({ opened }) => opened)) return { experiments, waitMs };
    if (this.#opened === undefined) return { experiments, waitMs: 0 };
    return { experiments, opened: this.#opened, waitMs };
  }

  /** The experiments of one request; if there are more, a different part each time. */
  #partOf(seen: ChangesBody["experiments"]) {
    const oldest = new Map<string, number>();
    for (const { experimentId, revision } of seen)
      oldest.set(experimentId, Math.min(revision, oldest.get(experimentId) ?? revision));
    const all = [...oldest].map(([experimentId, revision]) => ({ experimentId, revision }));
    const parts = Math.ceil(all.length / limits.experimentIdsMax);
    if (parts <= 1) return { experiments: all, isPart: false };
    const start = (this.#part++ % parts) * limits.experimentIdsMax;
    return { experiments: all.slice(start, start + limits.experimentIdsMax), isPart: true };
  }

  async #fail(error: unknown, stopped: AbortSignal): Promise<void> {
    const ms = Math.min(problemPauseMsMax, problemPauseMs * 2 ** this.#failures++);
    const nowMs = performance.now();
    this.#failingSinceMs ??= Math.min(nowMs, this.#dueMs);
    if (!isTransient(error) || nowMs - this.#failingSinceMs >= quietMs)
      this.problem.value = messageOf(error);
    await pause(ms, stopped);
  }
}

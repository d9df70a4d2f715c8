/**
 * Milliseconds by which metrics follow their points, when the background keeps up; rows are read
 * then.
 */
export const behindMs = 5_000;

/**
 * Repeats a read until it succeeds: some time after it is owed, never while the tab is hidden, and
 * then as soon as it is shown.
 */
export class CatchUp {
  readonly #read: () => Promise<boolean>;
  readonly #page: EventTarget & { readonly hidden: boolean };
  readonly #restMs: () => number;
  readonly #stopped = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The time has passed while the tab was hidden. */
  #isDue = false;

  constructor(
    read: () => Promise<boolean>,
    page: EventTarget & { readonly hidden: boolean } = document,
    restMs: () => number = () => behindMs,
  ) {
    this.#read = read;
    this.#page = page;
    this.#restMs = restMs;
    const { signal } = this.#stopped;
    page.addEventListener("visibilitychange", () => this.#isDue && void this.#settle(), { signal });
  }

  owe(): void {
    if (!this.#isDue && !this.#stopped.signal.aborted)
      this.#timer ??= setTimeout(() => void this.#settle(), this.#restMs());
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  async #settle(): Promise<void> {
    this.#timer = undefined;
    this.#isDue = this.#page.hidden;
    if (!this.#isDue && !(await this.#read())) this.owe();
  }
}

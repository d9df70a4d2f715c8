import { signal } from "@preact/signals";

/** The address bar is signals: a page's state is its URL, and only this file reads or writes it. */
export class PageLocation {
  readonly #url = signal(new URL(window.location.href));

  constructor() {
    window.addEventListener("popstate", () => this.#read());
  }

  get path(): string {
    return this.#url.value.pathname;
  }

  /** Path and query. */
  get address(): string {
    const { pathname, search } = this.#url.value;
    return pathname + search;
  }

  /** A part of the state; undefined is its default, which no URL names. */
  parameter(name: string): string | undefined {
    return this.#url.value.searchParams.get(name) ?? undefined;
  }

  /** To another page: one step of the browser's history. */
  open(path: string): void {
    window.history.pushState(null, "", path);
    this.#read();
    window.scrollTo(0, 0);
  }

  /** Another address for what this one names: going back does not come here again. */
  replace(path: string): void {
    window.history.replaceState(null, "", path);
    this.#read();
  }

  /** Other parameters of this page. What changes with each key or movement makes no history. */
  change(parameters: Record<string, string | undefined>, isStep = false): void {
    const url = new URL(this.#url.peek());
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined || value === "") url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    const address = url.pathname + url.search;
    if (isStep) window.history.pushState(null, "", address);
    else window.history.replaceState(null, "", address);
    this.#read();
  }

  #read(): void {
    this.#url.value = new URL(window.location.href);
  }
}

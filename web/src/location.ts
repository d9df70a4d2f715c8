import { signal } from "@preact/signals";

/** The address bar is signals: a page's state is its URL, and only this file reads or writes it. */
export class PageLocation {
  readonly #url = signal(new URL(window.location.href));

  #remember: (() => unknown) | undefined;
  #mayLeave: (() => boolean) | undefined;

  constructor() {
    window.addEventListener("popstate", () => {
      if (this.#isLeft()) this.#read();
      // The browser has gone already.
      else window.history.pushState(null, "", this.address);
    });
    window.addEventListener("pagehide", () => this.keep());
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

  /** What this step of the history remembers besides its address: where on the page one was. */
  get kept(): unknown {
    return window.history.state;
  }

  /** Asks for it when this step is left. The page that says it takes it back when it goes. */
  remember(state: () => unknown): () => void {
    this.#remember = state;
    return () => {
      if (this.#remember === state) this.#remember = undefined;
    };
  }

  /** Remembers it now: the browser's own steps are not announced. */
  keep(): void {
    if (this.#remember !== undefined) window.history.replaceState(this.#remember(), "");
  }

  /**
   * Is asked before a link, a step of the history or a page itself leads elsewhere; false stays.
   * Whoever guards takes it back when there is nothing more to lose.
   */
  guard(mayLeave: () => boolean): () => void {
    this.#mayLeave = mayLeave;
    return () => {
      if (this.#mayLeave === mayLeave) this.#mayLeave = undefined;
    };
  }

  /** To another page: one step of the browser's history. */
  open(path: string): void {
    if (!this.#isLeft()) return;
    this.keep();
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
    if (isStep) {
      this.keep();
      window.history.pushState(null, "", address);
    } else window.history.replaceState(null, "", address);
    this.#read();
  }

  #isLeft(): boolean {
    return this.#mayLeave?.() ?? true;
  }

  #read(): void {
    this.#url.value = new URL(window.location.href);
  }
}

import { signal } from "@preact/signals";
import { printedAddress } from "./printed-address.ts";
import { placed, unplaced } from "./base-path.ts";

/** State of a step in the browser's history, besides its address. */
interface HistoryState {
  /** Steps of a document are numbered, to know the distance and direction of a move. */
  number: number;
  /** The place on the page. */
  kept?: unknown;
}

/** Called with a function that leaves the page. */
type AskToLeave = (leave: () => void) => void;

/** Turns a link printed by MLflow's clients into the address of our page, before it is read. */
export function followPrinted(): void {
  const address = printedAddress(window.location.hash);
  if (address !== undefined) window.history.replaceState(null, "", placed(address));
}

/** The address bar as signals: a page's state is its URL, and only this file reads or writes it. */
export class PageLocation {
  readonly #url = signal(new URL(window.location.href));
  readonly #included = signal<Record<string, string>>({});
  /** Number of the step shown. */
  #number: number;
  #kept = stepNow().kept;

  #remember: (() => unknown) | undefined;
  #ask: AskToLeave | undefined;
  /** The step that may be entered even if something is lost. */
  #allowed: number | undefined;

  constructor() {
    const { number = 0, ...rest } = stepNow();
    this.#number = number;
    window.history.replaceState({ ...rest, number } satisfies HistoryState, "");
    window.addEventListener("popstate", () => this.#stepped());
    window.addEventListener("pagehide", () => this.keep());
  }

  get path(): string {
    return unplaced(this.#url.value.pathname);
  }

  /** Path and query. */
  get address(): string {
    return this.path + this.#url.value.search;
  }

  /** The address for a reader elsewhere: with what is shown here and kept elsewhere. */
  get link(): string {
    const { search } = this.#with(this.#url.value, this.#included.value);
    return this.path + search;
  }

  /** Includes parameters in links; the page takes them back when it goes. */
  include(parameters: Record<string, string>): () => void {
    this.#included.value = parameters;
    return () => {
      if (this.#included.peek() === parameters) this.#included.value = {};
    };
  }

  /** A parameter of the state; undefined: the default, which is not in the URL. */
  parameter(name: string): string | undefined {
    return this.#url.value.searchParams.get(name) ?? undefined;
  }

  /**
   * State that this step of the history had when it was entered: the place on the page. State kept
   * later may belong to earlier content.
   */
  get kept(): unknown {
    return this.#kept;
  }

  /**
   * Registers a function that returns the state to keep when this step is left. The page
   * unregisters it when it goes.
   */
  remember(state: () => unknown): () => void {
    this.#remember = state;
    return () => {
      if (this.#remember === state) this.#remember = undefined;
    };
  }

  /** Keeps the state now: the browser's own steps are not announced. */
  keep(): void {
    if (this.#remember === undefined) return;
    const step: HistoryState = { number: this.#number, kept: this.#remember() };
    window.history.replaceState(step, "");
  }

  /**
   * Registers a question before a link, a step of the history or a page itself leads elsewhere;
   * until answered the page stays. The caller unregisters it when nothing can be lost any more.
   */
  guard(ask: AskToLeave): () => void {
    this.#ask = ask;
    return () => {
      if (this.#ask === ask) this.#ask = undefined;
    };
  }

  /** Opens another page, as one step of the browser's history. */
  open(path: string): void {
    const leave = () => {
      this.#push(path);
      window.scrollTo(0, 0);
    };
    if (this.#ask === undefined) leave();
    else this.#ask(leave);
  }

  /** Replaces the address without a step: going back does not come here again. */
  replace(path: string): void {
    window.history.replaceState({ number: this.#number } satisfies HistoryState, "", placed(path));
    this.#read();
  }

  /** Changes parameters of this page. Changes with each key or movement are no step of history. */
  change(parameters: Record<string, string | undefined>, isStep = false): void {
    const url = this.#with(this.#url.peek(), parameters);
    const address = url.pathname + url.search;
    if (isStep) this.#push(address);
    else this.replace(address);
  }

  #with(before: URL, parameters: Record<string, string | undefined>): URL {
    const url = new URL(before);
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined || value === "") url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return url;
  }

  #push(address: string): void {
    this.keep();
    this.#number++;
    window.history.pushState({ number: this.#number } satisfies HistoryState, "", placed(address));
    this.#read();
  }

  /** Handles a step of the browser within this document. */
  #stepped(): void {
    const number = this.#numbered();
    if (this.#ask === undefined || number === this.#allowed) {
      this.#allowed = undefined;
      this.#number = number;
      return this.#read();
    }
    if (number === this.#number) return;
    // The step is undone, and repeated when leaving is allowed: the history is unchanged.
    const steps = number - this.#number;
    window.history.go(-steps);
    this.#ask(() => {
      this.#allowed = number;
      window.history.go(steps);
    });
  }

  /** Numbers a step that a person made by editing the fragment of the address. */
  #numbered(): number {
    const { number } = stepNow();
    if (number !== undefined) return number;
    const next: HistoryState = { number: this.#number + 1 };
    window.history.replaceState(next, "");
    return next.number;
  }

  #read(): void {
    this.#kept = stepNow().kept;
    this.#url.value = new URL(window.location.href);
  }
}

function stepNow(): Partial<HistoryState> {
  return (window.history.state ?? {}) as Partial<HistoryState>;
}

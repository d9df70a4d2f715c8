import { signal } from "@preact/signals";
import { printedAddress } from "./printed-address.ts";
import { placed, unplaced } from "./base-path.ts";

/** What a step of the browser's history has beside its address. */
interface Step {
  /** Steps of a document are counted, so that it is known how far one went, and which way. */
  number: number;
  /** Where on the page one was. */
  kept?: unknown;
}

/** Is told what it is to do when somebody may leave. */
type AskToLeave = (leave: () => void) => void;

/** A link that MLflow's clients print becomes the address of our page, before it is read. */
export function followPrinted(): void {
  const address = printedAddress(window.location.hash);
  if (address !== undefined) window.history.replaceState(null, "", placed(address));
}

/** The address bar is signals: a page's state is its URL, and only this file reads or writes it. */
export class PageLocation {
  readonly #url = signal(new URL(window.location.href));
  /** That of the page which is shown. */
  #number: number;
  #kept = stepNow().kept;

  #remember: (() => unknown) | undefined;
  #ask: AskToLeave | undefined;
  /** The step to which somebody may go, whatever is lost. */
  #allowed: number | undefined;

  constructor() {
    const { number = 0, ...rest } = stepNow();
    this.#number = number;
    window.history.replaceState({ ...rest, number } satisfies Step, "");
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

  /** A part of the state; undefined is its default, which no URL names. */
  parameter(name: string): string | undefined {
    return this.#url.value.searchParams.get(name) ?? undefined;
  }

  /**
   * What this step of the history remembered besides its address, when one came to it: where on the
   * page one was. What is kept since may be the place in what was shown before it.
   */
  get kept(): unknown {
    return this.#kept;
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
    if (this.#remember === undefined) return;
    const step: Step = { number: this.#number, kept: this.#remember() };
    window.history.replaceState(step, "");
  }

  /**
   * Is asked before a link, a step of the history or a page itself leads elsewhere; until then
   * it stays. Whoever guards takes it back when there is nothing more to lose.
   */
  guard(ask: AskToLeave): () => void {
    this.#ask = ask;
    return () => {
      if (this.#ask === ask) this.#ask = undefined;
    };
  }

  /** To another page: one step of the browser's history. */
  open(path: string): void {
    const leave = () => {
      this.#push(path);
      window.scrollTo(0, 0);
    };
    if (this.#ask === undefined) leave();
    else this.#ask(leave);
  }

  /** Another address for what this one names: going back does not come here again. */
  replace(path: string): void {
    window.history.replaceState({ number: this.#number } satisfies Step, "", placed(path));
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
    if (isStep) this.#push(address);
    else this.replace(address);
  }

  #push(address: string): void {
    this.keep();
    this.#number++;
    window.history.pushState({ number: this.#number } satisfies Step, "", placed(address));
    this.#read();
  }

  /** The browser has gone to another step of this document. */
  #stepped(): void {
    const number = this.#numbered();
    if (this.#ask === undefined || number === this.#allowed) {
      this.#allowed = undefined;
      this.#number = number;
      return this.#read();
    }
    if (number === this.#number) return;
    // It comes back, and goes there again when somebody may leave: the history stays as it is.
    const steps = number - this.#number;
    window.history.go(-steps);
    this.#ask(() => {
      this.#allowed = number;
      window.history.go(steps);
    });
  }

  /** One that a person made, by writing behind the address's #, has no number yet. */
  #numbered(): number {
    const { number } = stepNow();
    if (number !== undefined) return number;
    const next: Step = { number: this.#number + 1 };
    window.history.replaceState(next, "");
    return next.number;
  }

  #read(): void {
    this.#kept = stepNow().kept;
    this.#url.value = new URL(window.location.href);
  }
}

function stepNow(): Partial<Step> {
  return (window.history.state ?? {}) as Partial<Step>;
}

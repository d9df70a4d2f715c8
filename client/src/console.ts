import { endpoints } from "./endpoints.ts";
import { IncompleteStreamError } from "./errors.ts";
import { isTransient } from "./retry.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  ConsoleLine,
  ReadConsoleBody,
  ReadConsoleReply,
  SearchConsoleBody,
  SearchConsoleReply,
} from "./wire.ts";
import type { Views } from "./views.ts";

/** The console of a run: the lines that its processes have printed and logged. */
export class Console {
  readonly #calls: V1Calls;
  readonly #views: Views;

  constructor(calls: V1Calls, views: Views) {
    this.#calls = calls;
    this.#views = views;
  }

  /** Reads one page: the last lines, or those around a line or a time. */
  read(body: ReadConsoleBody, signal?: AbortSignal): Promise<ReadConsoleReply> {
    return this.#calls.json(endpoints.readConsole, {
      body,
      repeatable: true,
      ...(signal && { signal }),
    });
  }

  /** Reads the last lines, however far up the choice finds them. `next`: where new ones begin. */
  async last(
    body: Omit<ReadConsoleBody, "first" | "before" | "atMs"> & { limit: number },
    signal?: AbortSignal,
  ): Promise<{ lines: ConsoleLine[]; next: number }> {
    const asked = { sourcesOf: "page", ...body } as const;
    const { lines, next, first } = await this.read(asked, signal);
    for (let before = first; before > 0 && lines.length < body.limit;) {
      const page = await this.read({ ...asked, before, limit: body.limit - lines.length }, signal);
      lines.unshift(...page.lines);
      before = page.first;
    }
    return { lines, next };
  }

  /** Searches for some seconds; a reply that is not complete says where to go on. */
  search(body: SearchConsoleBody, signal?: AbortSignal): Promise<SearchConsoleReply> {
    return this.#calls.json(endpoints.searchConsole, {
      body,
      repeatable: true,
      ...(signal && { signal }),
    });
  }

  /** Yields all lines from one on, page by page. */
  async *lines(
    body: Omit<ReadConsoleBody, "before" | "atMs">,
    signal?: AbortSignal,
  ): AsyncGenerator<ConsoleLine[], number, undefined> {
    for (let next = body.first ?? 0; ;) {
      const asked = { sourcesOf: "page", ...body, first: next, limit: pageLines } as const;
      const page = await this.read(asked, signal);
      if (page.lines.length > 0) yield page.lines;
      if (page.next >= page.total) return page.next;
      if (page.next === next)
        throw new IncompleteStreamError(`the console of ${page.total} lines ends at line ${next}`);
      next = page.next;
    }
  }

  /** Yields lines from one on as they come, until the signal aborts. */
  async *follow(
    body: Omit<ReadConsoleBody, "before" | "atMs">,
    signal: AbortSignal,
  ): AsyncGenerator<ConsoleLine[], void, undefined> {
    const { experimentId } = body;
    let revision = 0;
    for (let next = body.first ?? 0; ;) {
      next = yield* this.lines({ ...body, first: next }, signal);
      const seen = [{ experimentId, revision }];
      try {
        const reply = await this.#views.changes({ experiments: seen, waitMs: waitMsMax }, signal);
        revision = reply.experiments[0]?.revision ?? revision;
      } catch (error) {
        // While the service is away, the next read waits for it.
        if (signal.aborted || !isTransient(error)) throw error;
      }
    }
  }

  /** Yields all lines that match, page by page. */
  async *matches(
    body: Omit<SearchConsoleBody, "before">,
    signal?: AbortSignal,
  ): AsyncGenerator<ConsoleLine[], void, undefined> {
    for (let next = body.first ?? 0; ;) {
      const page = await this.search({ ...body, first: next, limit: pageLines }, signal);
      if (page.lines.length > 0) yield page.lines;
      if (page.isComplete) return;
      next = page.next;
    }
  }
}

const pageLines = 5_000;
const waitMsMax = 25_000;

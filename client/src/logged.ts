import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { Views } from "./views.ts";
import type {
  FileAddressReply,
  LoggedFile,
  LoggedHistogramsBody,
  LoggedHistogramsReply,
  LoggedItem,
  LoggedItemsBody,
  LoggedItemsReply,
  LoggedNamesBody,
  LoggedNamesReply,
  LoggedNearestBody,
  LoggedNearestReply,
  LoggedStepsBody,
  LoggedStepsReply,
  LoggedTextsBody,
  LoggedTextsReply,
} from "./wire.ts";

/** What runs log beside numbers, by name and step: media, texts and histograms. */
export class Logged {
  readonly #calls: V1Calls;
  readonly #views: Views;

  constructor(calls: V1Calls, views: Views) {
    this.#calls = calls;
    this.#views = views;
  }

  names(body: LoggedNamesBody, signal?: AbortSignal): Promise<LoggedNamesReply> {
    return this.#read(endpoints.readLoggedNames, body, signal);
  }

  /** Lists the steps at which something is there, for a slider. */
  steps(body: LoggedStepsBody, signal?: AbortSignal): Promise<LoggedStepsReply> {
    return this.#read(endpoints.readLoggedSteps, body, signal);
  }

  /** Reads the items of each series and experiment at the step nearest to one. */
  nearest(body: LoggedNearestBody, signal?: AbortSignal): Promise<LoggedNearestReply> {
    return this.#read(endpoints.readLoggedNearest, body, signal);
  }

  /** Reads one page of the items of a series; `next` is the `after` of the next page. */
  items(body: LoggedItemsBody, signal?: AbortSignal): Promise<LoggedItemsReply> {
    return this.#read(endpoints.readLoggedItems, body, signal);
  }

  /** Yields all items of a series, page by page. */
  async *allItems(
    body: Omit<LoggedItemsBody, "after">,
    signal?: AbortSignal,
  ): AsyncGenerator<LoggedItem[], void, undefined> {
    for (let after: string | undefined; ;) {
      const { items, next } = await this.items({ ...body, ...(after && { after }) }, signal);
      if (items.length > 0) yield items;
      if (next === null) return;
      after = next;
    }
  }

  /** Reads a text over steps, as states one after another. */
  texts(body: LoggedTextsBody, signal?: AbortSignal): Promise<LoggedTextsReply> {
    return this.#read(endpoints.readLoggedTexts, body, signal);
  }

  /** Reads histograms over steps on one grid of values. */
  histograms(body: LoggedHistogramsBody, signal?: AbortSignal): Promise<LoggedHistogramsReply> {
    return this.#read(endpoints.readLoggedHistograms, body, signal);
  }

  /** Returns an address to fetch the file of an item from; counts as a read. */
  fileAddress(file: LoggedFile, signal?: AbortSignal): Promise<FileAddressReply> {
    const { owner, artifact = "", version = "", path } = file;
    return owner === undefined
      ? this.#views.fileAddress({ artifact, version, file: path }, signal)
      : this.#views.runFileAddress({ owner, file: path }, signal);
  }

  /** Reads at most 4 MiB of the file of an item through the service. */
  filePart(
    file: LoggedFile,
    range: { offset?: number; length?: number } = {},
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const { owner, artifact = "", version = "", path } = file;
    return owner === undefined
      ? this.#views.filePart({ artifact, version, file: path, ...range }, signal)
      : this.#views.runFilePart({ owner, file: path, ...range }, signal);
  }

  #read<Body, Reply>(
    endpoint: Endpoint<undefined, Body, Reply>,
    body: Body,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    return this.#calls.json(endpoint, { body, repeatable: true, ...(signal && { signal }) });
  }
}

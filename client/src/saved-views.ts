import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { ChangeSavedViewBody, CreateSavedViewBody, SavedView } from "./wire.ts";

/** What is changed or deleted: its id, and the revision that was seen. */
export interface SeenSaved {
  id: string;
  revision: number;
}

/**
 * Names for addresses of pages: one's own, and those of the organization. Writing takes a person;
 * an API key gets RequestError `forbidden`, and reads those of the organization. What somebody else
 * has changed since it was read stays: SavedConflictError.
 */
export class SavedViews {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** By name. */
  async list(signal?: AbortSignal): Promise<SavedView[]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listSavedViews, call)).views;
  }

  /** A name that is taken is RequestError `conflict`; so a lost reply doubles nothing. */
  create(body: CreateSavedViewBody): Promise<SavedView> {
    return this.#calls.json(endpoints.createSavedView, { body, repeatable: false });
  }

  /** What is left out stays. */
  change(
    { id, revision }: SeenSaved,
    change: Omit<ChangeSavedViewBody, "revision">,
  ): Promise<SavedView> {
    const body = { revision, ...change };
    return this.#calls.json(endpoints.changeSavedView, { query: { id }, body, repeatable: false });
  }

  async delete({ id, revision }: SeenSaved): Promise<void> {
    const query = { id, revision: String(revision) };
    await this.#calls.reply(endpoints.deleteSavedView, { query, repeatable: false });
  }
}

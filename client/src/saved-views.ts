import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { ChangeSavedViewBody, CreateSavedViewBody, SavedView } from "./wire.ts";

/** A saved item to change or delete: its id, and the revision that was seen. */
export interface SeenSaved {
  id: string;
  revision: number;
}

/**
 * Saved views, named addresses of pages: one's own, and the organization's. Writing needs a person;
 * an API key gets RequestError `forbidden`, and reads the organization's. Changes based on an old
 * revision are refused: SavedConflictError.
 */
export class SavedViews {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists the saved views, by name. */
  async list(signal?: AbortSignal): Promise<SavedView[]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listSavedViews, call)).views;
  }

  /**
   * Creates a saved view. RequestError `conflict` for a taken name, so repeating a lost call makes
   * no duplicate.
   */
  create(body: CreateSavedViewBody): Promise<SavedView> {
    return this.#calls.json(endpoints.createSavedView, { body, repeatable: false });
  }

  /** Changes a saved view; absent values stay. */
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

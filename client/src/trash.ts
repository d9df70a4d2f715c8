import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  DeletedOrganization,
  OrganizationContents,
  TrashEntry,
  TrashFolderReply,
  TrashListReply,
  TrashSettings,
} from "./wire.ts";

/**
 * The trash: deleted entries, restorable for a time. Every member and API key may delete and
 * restore; purging, freeing a slug and the setting need a person with the role admin.
 */
export class Trash {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Trashes experiments, 500 at most, all or none. Repeating it changes nothing. */
  async experiments(experimentIds: readonly string[]): Promise<TrashEntry[]> {
    const body = { experimentIds: [...experimentIds] };
    const call = { body, repeatable: true };
    return (await this.#calls.json(endpoints.trashExperiments, call)).entries;
  }

  /** Trashes series of an experiment, 500 at most, all or none. Repeating it changes nothing. */
  async series(experimentId: string, seriesNames: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { experimentId, seriesNames: [...seriesNames] }, repeatable: true };
    return (await this.#calls.json(endpoints.trashSeries, call)).entries;
  }

  /** Trashes a folder with all folders and experiments in it. */
  folder(folderId: string): Promise<TrashFolderReply> {
    return this.#calls.json(endpoints.trashFolder, { body: { folderId }, repeatable: false });
  }

  /** Trashes versions of an artifact, 500 at most, all or none. Repeating it changes nothing. */
  async versions(artifact: string, versions: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { artifact, versions: [...versions] }, repeatable: true };
    return (await this.#calls.json(endpoints.trashVersions, call)).entries;
  }

  /** Returns a page of the trash, last trashed first; `before` is the `next` of another. */
  page(before?: string, signal?: AbortSignal): Promise<TrashListReply> {
    const query = { before };
    return this.#calls.json(endpoints.listTrash, {
      query,
      repeatable: true,
      ...(signal && { signal }),
    });
  }

  /** Yields the entries of all pages. */
  async *entries(): AsyncGenerator<TrashEntry> {
    let before: string | undefined;
    do {
      const { entries, next } = await this.page(before);
      yield* entries;
      before = next ?? undefined;
    } while (before !== undefined);
  }

  /** Restores entries, 500 at most, all or none. RequestError `conflict`: one is being purged. */
  async restore(ids: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { ids: [...ids] }, repeatable: false };
    return (await this.#calls.json(endpoints.restoreTrash, call)).entries;
  }

  /** Purges entries: they can no longer be restored, and their space is freed a little later. */
  async purge(ids: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { ids: [...ids] }, repeatable: false };
    return (await this.#calls.json(endpoints.purgeTrash, call)).entries;
  }

  /** Allows recording another experiment under the slug of a purged one. */
  async freeSlug(slug: string): Promise<void> {
    await this.#calls.reply(endpoints.freeSlug, { body: { slug }, repeatable: false });
  }

  /** Returns what would be deleted with the organization; for its owners. */
  organizationContents(signal?: AbortSignal): Promise<OrganizationContents> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return this.#calls.json(endpoints.readOrganizationContents, call);
  }

  /** Deletes the organization itself, whose name confirms it; for its owners. */
  organization(name: string): Promise<DeletedOrganization> {
    const call = { body: { name }, repeatable: false };
    return this.#calls.json(endpoints.trashOrganization, call);
  }

  /** Lists deleted organizations of which the person is an owner. */
  async organizations(signal?: AbortSignal): Promise<DeletedOrganization[]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listDeletedOrganizations, call)).organizations;
  }

  /** Restores an organization. RequestError `conflict`: it is being purged. */
  restoreOrganization(organizationId: string): Promise<DeletedOrganization> {
    const call = { body: { organizationId }, repeatable: false };
    return this.#calls.json(endpoints.restoreOrganization, call);
  }

  settings(signal?: AbortSignal): Promise<TrashSettings> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return this.#calls.json(endpoints.readTrashSettings, call);
  }

  /** Sets the trash settings, for entries deleted from then on. */
  set(settings: TrashSettings): Promise<TrashSettings> {
    return this.#calls.json(endpoints.setTrashSettings, { body: settings, repeatable: true });
  }
}

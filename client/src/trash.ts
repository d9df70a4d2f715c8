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
    return (await this.#calls.json(endpoints.trashExperiments, { body, repeatable: true })).entries;
  }

  /** Trashes series of an experiment, 500 at most, all or none. Repeating it changes nothing. */
  async series(experimentId: string, seriesNames: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { experimentId, seriesNames: [...seriesNames] }, repeatable: true };
    return (await this.#calls.json(endpoints.trashSeries, call)).entries;
  }

  /** Trashes a folder with all folders and experiments in it. */
  folder(folderId: string): Promise<TrashFolderReply> {
    return this.#calls.json(endpoints.trashFolder, { body: { folderId } });
  }

  /** Trashes versions of an artifact, 500 at most, all or none. Repeating it changes nothing. */
  async versions(artifact: string, versions: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { artifact, versions: [...versions] }, repeatable: true };
    return (await this.#calls.json(endpoints.trashVersions, call)).entries;
  }

  /** Returns a page of the trash, last trashed first; `before` is the `next` of another. */
  page(before?: string, signal?: AbortSignal): Promise<TrashListReply> {
    const query = { before };
    return this.#calls.json(endpoints.listTrash, { query, signal });
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
    return (await this.#calls.json(endpoints.restoreTrash, { body: { ids: [...ids] } })).entries;
  }

  /** Purges entries: they can no longer be restored, and their space is freed a little later. */
  async purge(ids: readonly string[]): Promise<TrashEntry[]> {
    return (await this.#calls.json(endpoints.purgeTrash, { body: { ids: [...ids] } })).entries;
  }

  /** Allows recording another experiment under the slug of a purged one. */
  async freeSlug(slug: string): Promise<void> {
    await this.#calls.reply(endpoints.freeSlug, { body: { slug } });
  }

  /** Returns what would be deleted with the organization; for its owners. */
  organizationContents(signal?: AbortSignal): Promise<OrganizationContents> {
    return this.#calls.json(endpoints.readOrganizationContents, { signal });
  }

  /** Deletes the organization itself, whose name confirms it; for its owners. */
  organization(name: string): Promise<DeletedOrganization> {
    return this.#calls.json(endpoints.trashOrganization, { body: { name } });
  }

  /** Lists deleted organizations of which the person is an owner. */
  async organizations(signal?: AbortSignal): Promise<DeletedOrganization[]> {
    return (await this.#calls.json(endpoints.listDeletedOrganizations, { signal })).organizations;
  }

  /** Restores an organization. RequestError `conflict`: it is being purged. */
  restoreOrganization(organizationId: string): Promise<DeletedOrganization> {
    return this.#calls.json(endpoints.restoreOrganization, { body: { organizationId } });
  }

  settings(signal?: AbortSignal): Promise<TrashSettings> {
    return this.#calls.json(endpoints.readTrashSettings, { signal });
  }

  /** Sets the trash settings, for entries deleted from then on. */
  set(settings: TrashSettings): Promise<TrashSettings> {
    return this.#calls.json(endpoints.setTrashSettings, { body: settings, repeatable: true });
  }
}

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
 * What is deleted, and can be restored for a time. Deleting and restoring is for every member and
 * every API key; purging, freeing a slug and the setting need a person with the role admin.
 */
export class Trash {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Deletes experiments, 500 at most, all or none. Repeating it changes nothing. */
  async experiments(experimentIds: readonly string[]): Promise<TrashEntry[]> {
    const body = { experimentIds: [...experimentIds] };
    const call = { body, repeatable: true };
    return (await this.#calls.json(endpoints.trashExperiments, call)).entries;
  }

  /** Deletes series of an experiment, 500 at most, all or none. Repeating it changes nothing. */
  async series(experimentId: string, seriesNames: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { experimentId, seriesNames: [...seriesNames] }, repeatable: true };
    return (await this.#calls.json(endpoints.trashSeries, call)).entries;
  }

  /** Deletes a folder with all folders and experiments in it. */
  folder(folderId: string): Promise<TrashFolderReply> {
    return this.#calls.json(endpoints.trashFolder, { body: { folderId }, repeatable: false });
  }

  /** Deletes versions of an artifact, 500 at most, all or none. Repeating it changes nothing. */
  async versions(artifact: string, versions: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { artifact, versions: [...versions] }, repeatable: true };
    return (await this.#calls.json(endpoints.trashVersions, call)).entries;
  }

  /** A page of what is in the trash, what came last first; `before` is the `next` of another. */
  page(before?: string, signal?: AbortSignal): Promise<TrashListReply> {
    const query = { before };
    return this.#calls.json(endpoints.listTrash, {
      query,
      repeatable: true,
      ...(signal && { signal }),
    });
  }

  /** All pages. */
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

  /** From now on nothing brings them back; their space is free a little later. */
  async purge(ids: readonly string[]): Promise<TrashEntry[]> {
    const call = { body: { ids: [...ids] }, repeatable: false };
    return (await this.#calls.json(endpoints.purgeTrash, call)).entries;
  }

  /** Lets another experiment be recorded under the slug of one that was purged. */
  async freeSlug(slug: string): Promise<void> {
    await this.#calls.reply(endpoints.freeSlug, { body: { slug }, repeatable: false });
  }

  /** What goes when the organization is deleted; for its owners. */
  organizationContents(signal?: AbortSignal): Promise<OrganizationContents> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return this.#calls.json(endpoints.readOrganizationContents, call);
  }

  /** Deletes the organization itself, whose name is given to be sure; for its owners. */
  organization(name: string): Promise<DeletedOrganization> {
    const call = { body: { name }, repeatable: false };
    return this.#calls.json(endpoints.trashOrganization, call);
  }

  /** Deleted organizations of which the person is an owner. */
  async organizations(signal?: AbortSignal): Promise<DeletedOrganization[]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listDeletedOrganizations, call)).organizations;
  }

  /** RequestError `conflict`: it is being purged. */
  restoreOrganization(organizationId: string): Promise<DeletedOrganization> {
    const call = { body: { organizationId }, repeatable: false };
    return this.#calls.json(endpoints.restoreOrganization, call);
  }

  settings(signal?: AbortSignal): Promise<TrashSettings> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return this.#calls.json(endpoints.readTrashSettings, call);
  }

  /** For what is deleted from then on. */
  set(settings: TrashSettings): Promise<TrashSettings> {
    return this.#calls.json(endpoints.setTrashSettings, { body: settings, repeatable: true });
  }
}

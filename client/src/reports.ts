import { endpoints } from "./endpoints.ts";
import type { SeenSaved } from "./saved-views.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  AddedPicture,
  ChangeReportBody,
  CreateReportBody,
  Report,
  ReportsReply,
} from "./wire.ts";

/** Reports: text beside charts and tables. Permissions are those of saved views. */
export class Reports {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists the reports without their content, last changed first. */
  async list(signal?: AbortSignal): Promise<ReportsReply["reports"]> {
    const call = { repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.listReports, call)).reports;
  }

  read(id: string, signal?: AbortSignal): Promise<Report> {
    const call = { query: { id }, repeatable: true, ...(signal && { signal }) };
    return this.#calls.json(endpoints.readReport, call);
  }

  /**
   * Creates a report. RequestError `conflict` for a taken name, so repeating a lost call makes no
   * duplicate.
   */
  create(body: CreateReportBody): Promise<Report> {
    return this.#calls.json(endpoints.createReport, { body, repeatable: false });
  }

  /** Changes a report; absent values stay. */
  change({ id, revision }: SeenSaved, change: Omit<ChangeReportBody, "revision">): Promise<Report> {
    const body = { revision, ...change };
    return this.#calls.json(endpoints.changeReport, { query: { id }, body, repeatable: false });
  }

  /**
   * Puts a picture (PNG, JPEG, WebP or GIF) beside a report; a text names it as
   * `![words](picture:…)`, within a week.
   */
  addPicture(
    id: string,
    content: Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<AddedPicture> {
    const call = { query: { id }, body: content, repeatable: true, ...(signal && { signal }) };
    return this.#calls.json(endpoints.addReportPicture, call);
  }

  /** Reads a picture of a report. */
  async picture(
    { id, picture }: { id: string; picture: string },
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const call = { query: { id, picture }, repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.reply(endpoints.readReportPicture, call)).bytes;
  }

  async delete({ id, revision }: SeenSaved): Promise<void> {
    const query = { id, revision: String(revision) };
    await this.#calls.reply(endpoints.deleteReport, { query, repeatable: false });
  }
}

import { endpoints } from "./endpoints.ts";
import { IncompleteStreamError } from "./errors.ts";
import type { OrganizationAccess } from "./organization-access.ts";
import { queryText } from "./v1-calls.ts";
import type { FilterPredicate } from "./wire.ts";

/** The experiments of a file: those with the given ids (250 at most), or those found by a query. */
export interface ExportSelection {
  query?: string;
  folderId?: string;
  experimentIds?: readonly string[];
}

/** Selects series and partitions of points too; absent: all. */
export interface PointsSelection extends ExportSelection {
  seriesNames?: readonly string[];
  filter?: readonly FilterPredicate[];
}

const footerEnd = "PAR1";

/**
 * Parquet files, as chunks. They are written while they are read: keep a file under another name
 * until the loop has ended. IncompleteStreamError: the file was cut; read it again.
 */
export class Exports {
  readonly #access: OrganizationAccess;

  constructor(access: OrganizationAccess) {
    this.#access = access;
  }

  /** One row a point: experimentId, slug, seriesName, metadata, step, timestampMs, value. */
  points(
    { seriesNames, filter, ...selection }: PointsSelection = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const query = {
      ...addressed(selection),
      seriesNames: seriesNames && JSON.stringify(seriesNames),
      filter: filter && JSON.stringify(filter),
    };
    return this.#file(endpoints.exportPoints.path, query, signal);
  }

  /** One row an experiment, keys of its meta as columns. */
  experiments(
    selection: ExportSelection = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#file(endpoints.exportExperiments.path, addressed(selection), signal);
  }

  /** One row an annotation. */
  annotations(
    selection: ExportSelection = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#file(endpoints.exportAnnotations.path, addressed(selection), signal);
  }

  /** One row for each version, data set and model that an experiment used or made. */
  lineage(
    selection: ExportSelection = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#file(endpoints.exportLineage.path, addressed(selection), signal);
  }

  /** One row a line of the consoles: its number, source, rank, time, stream and text. */
  lines(
    selection: ExportSelection = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#file(endpoints.exportLines.path, addressed(selection), signal);
  }

  async *#file(
    path: string,
    query: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = this.#access.stream({ method: "GET", path: path + queryText(query), signal });
    let end = "";
    for await (const chunk of chunks) {
      end = (end + String.fromCharCode(...chunk.subarray(-footerEnd.length))).slice(
        -footerEnd.length,
      );
      yield chunk;
    }
    if (end !== footerEnd) throw new IncompleteStreamError("the file is incomplete; read it again");
  }
}

function addressed({ experimentIds, ...selection }: ExportSelection) {
  return { ...selection, experimentIds: experimentIds?.join(",") };
}

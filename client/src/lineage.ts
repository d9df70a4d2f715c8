import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  LineageGraph,
  RecordedUse,
  RecordUseBody,
  RunLineage,
  VersionLineage,
} from "./wire.ts";

/** The node from which a graph is walked, and how far. */
export interface GraphQuery {
  experimentId?: string;
  artifact?: string;
  version?: string;
  direction?: "both" | "up" | "down";
  depth?: number;
  nodes?: number;
}

/** Versions of artifacts, data sets and models that runs used and made. */
export class Lineage {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Returns what a run used and made. RequestError `not_found` for an unknown run. */
  ofRun(experimentId: string, signal?: AbortSignal): Promise<RunLineage> {
    return this.#calls.json(endpoints.readRunLineage, { query: { experimentId }, signal });
  }

  /** Returns which run made a version (its name, `latest` or `@best`), and which used it. */
  ofVersion(artifact: string, version: string, signal?: AbortSignal): Promise<VersionLineage> {
    return this.#calls.json(endpoints.readVersionLineage, { query: { artifact, version }, signal });
  }

  /** Walks from a run or a version; each node says how many of its neighbours are missing. */
  graph({ depth, nodes, ...from }: GraphQuery, signal?: AbortSignal): Promise<LineageGraph> {
    const most = { depth: depth?.toString(), nodes: nodes?.toString() };
    return this.#calls.json(endpoints.readLineageGraph, { query: { ...from, ...most }, signal });
  }

  /** Records that a run used a version (its name, `latest` or `@best`), once. */
  recordUse(body: RecordUseBody, signal?: AbortSignal): Promise<RecordedUse> {
    return this.#calls.json(endpoints.recordUse, { body, repeatable: true, signal });
  }
}

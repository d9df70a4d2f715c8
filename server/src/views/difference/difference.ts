import { setImmediate } from "node:timers/promises";
import type { DifferenceBody, DifferenceReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { presentExperiments } from "../../experiments/identity.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import { readAttributeLeaves } from "../../experiments/summaries/config-index.ts";
import { mayFind } from "../table/may-find.ts";
import { type LateExperiment, readBehind } from "../table/summaries-behind.ts";
import { countFound, type Table } from "../table/table-search.ts";
import { readFirst } from "../table/table-pages.ts";
import { openTable } from "../table/table.ts";
import { readApart } from "./apart.ts";
import { ComparedMetas } from "./compared-metas.ts";
import { readMetrics } from "./compared-metrics.ts";

export interface ReadDifference {
  organizationId: string;
  body: DifferenceBody;
}

/** `views/difference`: what differs between experiments, and what sets them apart from others. */
export async function readDifference(
  reader: Reader,
  { organizationId, body }: ReadDifference,
  text: ReplyText,
  { nowMs }: Moment,
): Promise<void> {
  checkQuestion(body);
  const table = await openTable(reader, organizationId, body, nowMs);
  const chosen = await choose(reader, table, body);
  const { experiments, metas } = await readExperiments(reader, organizationId, chosen.ids);
  const { keys, ...keyCounts } = metas.compare({
    text: body.text ?? "",
    equalKeys: body.equalKeys ?? false,
    hiddenKeys: body.hiddenKeys ?? false,
    keysMax: body.keysMax ?? limits.differenceKeysMax,
  });
  const experimentIds = experiments.map(({ experimentId }) => experimentId);
  const { metrics, metricsFound } = await readMetrics(reader, {
    organizationId,
    experimentIds,
    text: body.metricText ?? "",
    metricsMax: Math.min(
      body.metricsMax ?? limits.differenceMetricsMax,
      Math.floor(limits.differenceSummariesMax / Math.max(1, experimentIds.length)),
    ),
  });
  const apart =
    body.apart === true ? await readApart(reader, table, experimentIds, body) : undefined;
  const concerned = concernedIn(table, body, experimentIds);
  const behind = await readBehind(reader, organizationId, nowMs, { concerned });
  await text.add('{"experiments":');
  await addArray(text, experiments, (one) => JSON.stringify(one));
  await text.add(',"keys":');
  await addArray(text, keys, (key) => JSON.stringify(key));
  await text.add(',"metrics":');
  await addArray(text, metrics, (metric) => JSON.stringify(metric));
  const rest: Omit<DifferenceReply, "experiments" | "keys" | "metrics"> = {
    found: chosen.found ?? experiments.length,
    ...keyCounts,
    metricsFound,
    ...(apart && { apart }),
    ...behind,
  };
  await text.add(`,${JSON.stringify(rest).slice(1)}`);
}

function checkQuestion({ experimentIds, query, folderId, apart = false }: DifferenceBody): void {
  const isNamed = experimentIds !== undefined;
  if (apart && !isNamed)
    throw new ServiceError(
      "bad_request",
      "`apart` needs `experimentIds`: which ones to set apart.",
    );
  if (isNamed && !apart && (query !== undefined || folderId !== undefined)) {
    throw new ServiceError(
      "bad_request",
      "Give `experimentIds` or a query; with `apart` give both.",
    );
  }
}

/**
 * Returns which of the experiments that are behind matter to an answer. Metas are read as recorded,
 * except where a query finds by them or the shares of their values are counted.
 */
function concernedIn(
  { search }: Table,
  { experimentIds, apart = false }: DifferenceBody,
  compared: readonly string[],
) {
  return async (behind: readonly LateExperiment[]): Promise<ReadonlySet<string>> => {
    const named = new Set(compared);
    const shown = behind.filter(
      ({ experiment, of_metrics: ofMetrics }) =>
        named.has(experiment) && (apart || ofMetrics === 1),
    );
    const ids = new Set(shown.map(({ experiment }) => experiment));
    const hasQuery = experimentIds === undefined || apart;
    return hasQuery ? ids.union(await mayFind(search, behind)) : ids;
  };
}

interface ChosenExperiments {
  ids: string[];
  found?: number;
}

/** Returns the named experiments, or the first that the query finds. */
async function choose(
  reader: Reader,
  table: Table,
  { experimentIds }: DifferenceBody,
): Promise<ChosenExperiments> {
  if (experimentIds !== undefined) return { ids: [...new Set(experimentIds)] };
  const { ids, total } = await readFirst(reader, table, limits.differenceExperimentsMax);
  return { ids, found: total ?? (await countFound(reader, table.search, {})) };
}

interface ExperimentMeta {
  id: string;
  slug: string;
  meta: string;
}

/** Experiments read between two turns: metas of 64 KiB take some milliseconds each. */
const experimentsPerTurn = 8;

/** Reads the experiments that exist, in the order of the ids. */
async function readExperiments(reader: Reader, organizationId: string, ids: readonly string[]) {
  const wanted = await presentExperiments(reader, organizationId, ids);
  const metas = new ComparedMetas(wanted.length);
  const experiments: DifferenceReply["experiments"] = [];
  for (let start = 0; start < wanted.length; start += experimentsPerTurn) {
    const turn = wanted.slice(start, start + experimentsPerTurn);
    const rows = await reader.all<ExperimentMeta>(
      `SELECT id, slug, meta FROM experiment WHERE ${reader.isOneOf("id", "$1")}`,
      JSON.stringify(turn),
    );
    const attributes = await readAttributeLeaves(reader, turn);
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of turn) {
      const { slug, meta } = byId.get(id)!;
      const name = metas.add(experiments.length, meta, attributes.get(id));
      experiments.push({ experimentId: id, slug, name });
    }
    await setImmediate();
  }
  return { experiments, metas };
}

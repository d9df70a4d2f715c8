import type {
  AttributesResultData,
  DifferenceReply,
  ExperimentRecord,
  GroupsBody,
  GroupsReply,
  GroupValue,
  LoggedHistogramsReply,
  LoggedItem,
  LoggedItemsReply,
  LoggedNearestReply,
  OverviewReply,
  ReadConsoleReply,
  ReplyData,
  TableBody,
  TableReply,
  TableRow,
  ViewPointsReply,
} from "@lossless/protocol";
import type { GuestCaller } from "./credentials.ts";
import {
  hidden,
  isOfMachine,
  isPlainField,
  isPlainPath,
  namesSomebody,
  withPlainPartition,
} from "./guest-hidden.ts";

/**
 * Replies of an anonymous link. It shows numbers: points, times, statuses, and the numbers and
 * booleans of a meta. Names of runs become "run 1", by their place in the link; texts that people
 * and scripts wrote are left out, but for names of metrics and keys. docs/guests.md says it.
 */

type Shown = Pick<GuestCaller, "experimentIds">;

export function overview(reply: OverviewReply): OverviewReply {
  return { ...reply, series: reply.series.map(withPlainPartition) };
}

export function points(reply: ViewPointsReply): ViewPointsReply {
  return { ...reply, series: reply.series.map(withPlainPartition) };
}

/** Groups by numbers, and by the metadata of partitions that overviews show, too. */
export function groups(
  reply: GroupsReply,
  { by, byPartition = [] }: Pick<GroupsBody, "by" | "byPartition">,
): GroupsReply {
  const shown = (value: GroupValue, at: number): GroupValue => {
    const key = byPartition[at - by.length];
    const isPlain = key === undefined ? isPlainKind(value) : !namesSomebody(key);
    return isPlain ? value : { kind: "text", text: hidden };
  };
  return {
    ...reply,
    groups: reply.groups.map((group) => ({ ...group, values: group.values.map(shown) })),
    members: reply.members.map(withPlainPartition),
  };
}

const isPlainKind = ({ kind }: { kind: string }) =>
  kind !== "text" && kind !== "list" && kind !== "object";

export function histograms(reply: LoggedHistogramsReply): LoggedHistogramsReply {
  return { ...reply, maps: reply.maps.map(withPlainPartition) };
}

/** The items of histograms; of each its numbers, and its place. */
export function nearest(reply: LoggedNearestReply): LoggedNearestReply {
  return { ...reply, items: reply.items.map((one) => ({ ...plainItem(one), series: one.series })) };
}

export function items(reply: LoggedItemsReply): LoggedItemsReply {
  return { ...reply, items: reply.items.map(plainItem) };
}

function plainItem(one: LoggedItem): LoggedItem {
  const { experimentId, step, timestampMs, metadata, index, count, histogram } = one;
  return withPlainPartition({
    experimentId,
    step,
    timestampMs,
    metadata,
    ...(index !== undefined && { index }),
    ...(count !== undefined && { count }),
    ...(histogram !== undefined && { histogram }),
  });
}

/** The console as printed, of processes that have a number and no machine. */
export function consolePage(reply: ReadConsoleReply): ReadConsoleReply {
  const sources = reply.sources.map(({ source, rank, lines, open }) => {
    return {
      source,
      id: `process ${source + 1}`,
      ...(rank !== undefined && { rank }),
      lines,
      open,
    };
  });
  return { ...reply, sources };
}

export function table(
  reply: TableReply,
  guest: Shown,
  { columns = [] }: Pick<TableBody, "columns">,
): TableReply {
  const isPlain = columns.map(isPlainField);
  return {
    ...reply,
    rows: reply.rows.map((row) => ({
      ...unnamed(row, guest),
      description: "",
      values: row.values.map((value, at) =>
        !isPlain[at] || (typeof value === "string" && !nonfinite.has(value)) ? null : value,
      ),
    })),
  };
}

/**
 * Returns the numbers of a row, with what else is known to name nothing: a field that a later
 * version adds is left out, unless it is a number.
 */
function unnamed(row: TableRow, guest: Shown): TableRow {
  const numbers = Object.entries(row).filter(([, value]) => typeof value === "number");
  const { experimentId, status, startedAtMs, doneAtMs, errorAtMs, endedAtMs } = row;
  const { liveness, nonfinite: counts } = row;
  return {
    ...(Object.fromEntries(numbers) as unknown as TableRow),
    experimentId,
    slug: runName(experimentId, guest),
    name: null,
    status,
    error: null,
    folderId: null,
    startedAtMs,
    doneAtMs,
    errorAtMs,
    endedAtMs,
    ...(liveness !== undefined && { liveness }),
    ...(counts !== undefined && { nonfinite: counts }),
  };
}

const nonfinite: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity"]);

export function difference(reply: DifferenceReply, guest: Shown): DifferenceReply {
  const metrics = reply.metrics.filter(({ name }) => !isOfMachine(name));
  const keys = reply.keys.filter(
    ({ field, values }) =>
      !field.startsWith("tag.") && isPlainField(field) && values.every(isPlainKind),
  );
  const fewer = reply.keys.length - keys.length;
  return {
    ...reply,
    experiments: reply.experiments.map(({ experimentId }) => {
      return { experimentId, slug: runName(experimentId, guest), name: null };
    }),
    keys,
    differingKeys: Math.max(0, reply.differingKeys - fewer),
    hiddenKeys: 0,
    metrics,
    metricsFound: reply.metricsFound - (reply.metrics.length - metrics.length),
  };
}

/** Replies to events, one or several. */
export function eventReplies(replies: unknown, guest: Shown): unknown {
  if (Array.isArray(replies)) return replies.map((reply) => eventReply(reply as Event, guest));
  return eventReply(replies as Event, guest);
}

interface Event {
  event: string;
  data: unknown;
}

function eventReply(reply: Event, guest: Shown): Event {
  const show = replyOf[reply.event];
  // A failure says what the request named.
  if (reply.event === "svc.v2.error") return reply;
  if (show === undefined) throw new Error(`BUG: an anonymous link was given ${reply.event}`);
  return { ...reply, data: show(reply.data as never, guest) };
}

const replyOf: Readonly<Record<string, (data: never, guest: Shown) => unknown>> = {
  "svc.v2.query.experiment.result": record,
  "svc.v2.query.experiments.result": (data: { experiments: ExperimentRecord[] }, guest: Shown) => ({
    ...data,
    experiments: data.experiments.map((one) => record(one, guest)),
  }),
  "svc.v2.query.catalog.result": (data: ReplyData<"svc.v2.query.catalog">) => ({
    ...data,
    series: data.series
      .filter(({ seriesName }) => !isOfMachine(seriesName))
      .map(({ seriesName, metadata }) => ({ seriesName, metadata: plainCatalog(metadata) })),
  }),
  "svc.v2.query.revisions.result": (data: ReplyData<"svc.v2.query.revisions">) => ({
    ...data,
    experiments: data.experiments.map((one) => ({
      ...one,
      series: one.series.filter(({ seriesName }) => !isOfMachine(seriesName)),
    })),
  }),
  "svc.v2.query.attributes.result": attributes,
};

function record(one: ExperimentRecord, guest: Shown): ExperimentRecord {
  const { experimentId, status, error, createdAtMs, updatedAtMs, statusAtMs } = one;
  const { startedAtMs, doneAtMs, errorAtMs } = one;
  return {
    experimentId,
    slug: runName(experimentId, guest),
    status,
    createdAtMs,
    updatedAtMs,
    startedAtMs,
    doneAtMs,
    errorAtMs,
    statusAtMs,
    description: "",
    meta: (plain(one.meta) ?? {}) as ExperimentRecord["meta"],
    error: error === null ? null : hidden,
    errorMeta: null,
    folderId: null,
  };
}

function attributes(data: AttributesResultData, guest: Shown): AttributesResultData {
  const { experimentId, beganAtMs, endedAtMs, irregularPoints } = data;
  const params = data.params.filter(
    ({ key, value }) => isPlainPath(key.split(".")) && /^-?[\d.]+(?:e[-+]?\d+)?$/i.test(value),
  );
  const name = runName(experimentId, guest);
  const left = { run: null, tags: [], datasets: [], models: [] };
  return { experimentId, name, beganAtMs, endedAtMs, params, irregularPoints, ...left };
}

/** Returns the numbers, booleans and nulls of a meta; undefined: there are none in it. */
function plain(value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "string") return undefined;
  if (Array.isArray(value)) {
    const all = value.map(plain);
    return all.includes(undefined) ? undefined : all;
  }
  const kept = Object.entries(value as Record<string, unknown>).flatMap(([key, one]) => {
    const shown = key.startsWith("_") ? undefined : plain(one);
    return shown === undefined ? [] : [[key, shown]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function plainCatalog(metadata: Record<string, string[]>): Record<string, string[]> {
  const shown = Object.entries(metadata).map(([key, values]) => {
    return [key, namesSomebody(key) ? [hidden] : values];
  });
  return Object.fromEntries(shown) as Record<string, string[]>;
}

function runName(experimentId: string, { experimentIds }: Shown): string {
  return `run ${experimentIds.indexOf(experimentId) + 1}`;
}

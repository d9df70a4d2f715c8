import {
  type EndpointName,
  endpoints,
  type FilterPredicate,
  type LoggedKind,
  type ReplyBody,
  type RequestBody,
  type RequestQuery,
  type RunLineage,
} from "@lossless/protocol";
import { picturesNamedIn } from "@lossless/protocol/report-pictures";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { inFormOf } from "./authorize.ts";
import type { GuestCaller } from "./credentials.ts";
import * as anonymous from "./guest-anonymous.ts";
import { isByName, namingKeys, readsPlainSeries } from "./guest-hidden.ts";
import { narrowGroups, narrowRows, ownRows, reportText } from "./guest-rows.ts";

/** The parameters of a request's address, and its body. */
interface Asked<Name extends EndpointName> {
  query: RequestQuery<Name>;
  body: RequestBody<Name>;
}

interface GuestOperation<Name extends EndpointName> {
  /** Whether the request is about what the link shows, and nothing else; may narrow it first. */
  admits: (
    asked: Asked<Name>,
    guest: GuestCaller,
    storage: Pick<Storage, "read">,
  ) => boolean | Promise<boolean>;
  /** The reply, without the operation, where the link shows nothing of its kind. */
  nothing?: (guest: GuestCaller) => ReplyBody<Name> | undefined;
  /** Leaves out of a reply what is about the whole organization. */
  own?: Change<Name>;
  /** The reply of an anonymous link; absent: such links are refused. */
  anonymous?: Change<Name>;
}

type Change<Name extends EndpointName> = (
  reply: ReplyBody<Name>,
  guest: GuestCaller,
  asked: Asked<Name>,
) => ReplyBody<Name>;

type Operations = {
  readonly [Name in Exclude<EndpointName, "organizationEvents">]?: GuestOperation<Name>;
};

const asItIs = <Reply>(reply: Reply) => reply;
const isShown = (guest: GuestCaller, ids: readonly string[]) =>
  ids.length > 0 && ids.every((id) => guest.experimentIds.includes(id));
const ofSeries = (
  { body: { series, xSeriesName } }: Asked<"readOverview" | "readPoints">,
  guest: GuestCaller,
) =>
  (!guest.isAnonymous || readsPlainSeries(series, xSeriesName)) &&
  isShown(
    guest,
    series.map(({ experimentId }) => experimentId),
  );

/**
 * All that guests may ask, and the one place where it is judged: an operation that is not named
 * here refuses them, and one that is gets no caller (organizationCaller) before `admits` has said
 * yes. Lists of the whole organization are empty.
 */
const operations: Operations = {
  readGuestVisit: { admits: () => true, anonymous: asItIs },
  readOverview: { admits: ofSeries, anonymous: anonymous.overview },
  readGroups: {
    admits: ({ body }, guest, storage) => narrowGroups(body, guest, storage),
    anonymous: (reply, _, { body }) => anonymous.groups(reply, body),
  },
  readPoints: { admits: ofSeries, anonymous: anonymous.points },
  readPointsCsv: {
    admits: ({ query }, guest) =>
      (!guest.isAnonymous || isPlainFile(query)) &&
      isShown(guest, query.experimentIds?.split(",") ?? [query.experimentId ?? ""]),
    // The file is written without what keysHiddenFrom names.
    anonymous: asItIs,
  },
  readChanges: {
    admits({ body }, guest) {
      // A count of the organization's experiments.
      delete body.opened;
      const ids = body.experiments.map(({ experimentId }) => experimentId);
      return ids.length === 0 || isShown(guest, ids);
    },
    own: (reply) => ({ ...reply, opened: "0" }),
    anonymous: asItIs,
  },
  readTable: {
    admits: ({ body }, guest, storage) => narrowRows(body, guest, storage),
    own: (reply, _, { body }) => ownRows(reply, body),
    anonymous: (reply, guest, { body }) => anonymous.table(reply, guest, body),
  },
  readDifference: {
    admits({ body }, guest) {
      for (const name of ["query", "folderId"] as const) delete body[name];
      if (guest.isAnonymous) delete body.text;
      return body.apart !== true && isShown(guest, body.experimentIds ?? []);
    },
    anonymous: anonymous.difference,
  },
  readNewAnnotations: {
    admits: ({ query: { experimentId } }, guest) => isShown(guest, [experimentId]),
    nothing: ({ isAnonymous }) =>
      isAnonymous ? { annotations: [], truncated: false, next: "0" } : undefined,
    anonymous: asItIs,
  },
  readFolders: {
    admits: () => false,
    nothing: () => ({ folders: [], experiments: 0, experimentsAtRoot: 0 }),
    anonymous: asItIs,
  },
  listSavedViews: { admits: () => false, nothing: () => ({ views: [] }), anonymous: asItIs },
  readExperimentArtifacts: {
    admits: ({ query: { experimentId } }, guest) => isShown(guest, [experimentId]),
    nothing: ({ showsFiles }) =>
      showsFiles ? undefined : { versions: [], uploads: [], truncated: false },
    anonymous: asItIs,
  },
  readAttempts: { admits: ({ body: { experimentId } }, guest) => isShown(guest, [experimentId]) },
  readConsole: { admits: ofConsole, anonymous: anonymous.consolePage },
  searchConsole: { admits: ofConsole, anonymous: asItIs },
  readLoggedNames: {
    admits({ body }, guest) {
      const kinds = kindsShown(guest);
      body.kinds = (body.kinds ?? kinds).filter((kind) => kinds.includes(kind));
      return body.kinds.length > 0 && isShown(guest, body.experimentIds);
    },
    anonymous: asItIs,
  },
  readLoggedSteps: { admits: ofLoggedSeries, anonymous: asItIs },
  readLoggedNearest: { admits: ofLoggedSeries, anonymous: anonymous.nearest },
  readLoggedItems: {
    admits: ({ body }, guest) => ofLogged(guest, body.experimentIds, [body.kind]),
    anonymous: anonymous.items,
  },
  readLoggedTexts: { admits: ({ body }, guest) => ofLogged(guest, body.experimentIds, ["text"]) },
  readLoggedHistograms: {
    admits: ({ body }, guest) => ofLogged(guest, body.experimentIds, ["histogram"]),
    anonymous: anonymous.histograms,
  },
  // Neither its graph nor a version's lineage: they tell of other experiments.
  readRunLineage: {
    admits: ({ query: { experimentId } }, guest) =>
      guest.showsFiles && isShown(guest, [experimentId]),
    own: sizelessInputs,
  },
  readVersion: { admits: ofVersion },
  readFileAddress: { admits: ofVersion },
  readFilePart: { admits: ofVersion },
  readFileFrame: { admits: ofVersion },
  viewRunFiles: { admits: ofRun },
  readRunFileAddress: { admits: ofRun },
  readRunFilePart: { admits: ofRun },
  readReport: {
    admits: ({ query: { id } }, guest) => id === guest.reportId,
    own: (reply) => ({ ...reply, createdBy: "", changedBy: "" }),
    anonymous: asItIs,
  },
  readReportPicture: {
    // One that was taken out of the text is kept for a week, for its members alone.
    admits: async ({ query: { id, picture } }, guest, storage) =>
      id === guest.reportId && picturesNamedIn(await reportText(guest, storage)).includes(picture),
    anonymous: asItIs,
  },
};

export function isForGuests(name: EndpointName): boolean {
  return name === "organizationEvents" || name in operations;
}

/** The part of a request that decides for whom and about what it is served. */
type Judged = Pick<FastifyRequest, "caller" | "isInGuestScope">;

/**
 * Runs an operation for a guest, if the request is within the scope of the link; throws `forbidden`
 * otherwise. Replies that the storage has printed are parsed where they are changed.
 */
export async function serveGuest<Name extends EndpointName>(
  name: Name,
  request: Judged,
  asked: Asked<Name>,
  storage: Pick<Storage, "read">,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const operation = operations[name as keyof Operations] as GuestOperation<Name> | undefined;
  const { caller: guest } = request;
  if (guest?.kind !== "guest" || operation === undefined) throw beyondScope();
  if (guest.isAnonymous && operation.anonymous === undefined) throw beyondScope();
  const nothing = operation.nothing?.(guest);
  if (nothing !== undefined) return nothing;
  if (!(await operation.admits(asked, guest, storage))) throw beyondScope();
  request.isInGuestScope = true;
  const given = await run();
  const changes = [operation.own, guest.isAnonymous ? operation.anonymous : undefined];
  return changes.reduce(
    (reply, change) =>
      change === undefined || change === asItIs
        ? reply
        : change(parsed(reply) as ReplyBody<Name>, guest, asked),
    given,
  );
}

/** An event of `/api/v2/events`, as far as its scope is judged. */
interface AskedEvent {
  event: string;
  data: { experimentId?: string; experimentIds?: readonly string[] };
}

/** Events that read one experiment by its id. */
const readEvents: ReadonlySet<string> = new Set([
  "svc.v2.query.experiment",
  "svc.v2.query.catalog",
  "svc.v2.query.attributes",
  "svc.v2.query.annotations",
]);

/** Requires that the events of a guest read what the link shows, and nothing else. */
export function requireGuestEvents(
  request: Judged,
  events: readonly { event: string; data: object }[],
): void {
  const { caller: guest } = request;
  if (guest?.kind !== "guest" || !events.every((event) => isShownEvent(event, guest)))
    throw inFormOf(endpoints.organizationEvents, beyondScope());
  request.isInGuestScope = true;
}

function isShownEvent({ event, data }: AskedEvent, guest: GuestCaller): boolean {
  if (event === "svc.v2.query.annotations" && guest.isAnonymous) return false;
  if (readEvents.has(event)) return isShown(guest, [data.experimentId ?? ""]);
  const isOfMany = event === "svc.v2.query.experiments" || event === "svc.v2.query.revisions";
  return isOfMany && isShown(guest, data.experimentIds ?? []);
}

/** Returns the replies to events of a guest, as the link shows them. */
export function shownEventReplies(
  request: Pick<FastifyRequest, "caller">,
  replies: string | Uint8Array[],
): string | Uint8Array[] {
  const { caller: guest } = request;
  if (guest?.kind !== "guest" || !guest.isAnonymous) return replies;
  return JSON.stringify(anonymous.eventReplies(parsed(replies), guest));
}

/** Keys of partitions whose values files leave out, which the storage writes. */
export function keysHiddenFrom({ caller }: Pick<FastifyRequest, "caller">): readonly string[] {
  return caller?.kind === "guest" && caller.isAnonymous ? namingKeys : [];
}

function beyondScope(): ServiceError {
  return new ServiceError("forbidden", "This guest link does not show that.");
}

/** Whether an anonymous link may have a file: of one experiment, as rows of several have slugs. */
function isPlainFile({
  experimentIds,
  seriesName = "",
  xSeriesName,
  filter = "[]",
  ...one
}: RequestQuery<"readPointsCsv">): boolean {
  const { metadataKey = "", metadataValue } = one;
  if (metadataValue !== undefined && isByName({ metadataKey, metadataValue })) return false;
  return (
    experimentIds === undefined &&
    readsPlainSeries([{ seriesName, filter: predicatesIn(filter) }], xSeriesName)
  );
}

/** Returns the predicates in a text; none where the request is refused later. */
function predicatesIn(text: string): FilterPredicate[] {
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
  } catch {
    return [];
  }
}

function ofConsole(
  { body: { experimentId } }: Asked<"readConsole" | "searchConsole">,
  guest: GuestCaller,
): boolean {
  return guest.showsConsole && isShown(guest, [experimentId]);
}

/** Kinds of what runs log that the link shows; the others are files. */
function kindsShown({ showsFiles, isAnonymous }: GuestCaller): readonly LoggedKind[] {
  if (showsFiles && !isAnonymous) {
    return ["image", "audio", "video", "table", "histogram", "html", "plot", "plotly", "text"];
  }
  return isAnonymous ? ["histogram"] : ["histogram", "text"];
}

function ofLogged(
  guest: GuestCaller,
  experimentIds: readonly string[],
  kinds: readonly LoggedKind[],
): boolean {
  const shown = kindsShown(guest);
  return isShown(guest, experimentIds) && kinds.every((kind) => shown.includes(kind));
}

function ofLoggedSeries(
  { body: { experimentIds, series } }: Asked<"readLoggedSteps" | "readLoggedNearest">,
  guest: GuestCaller,
): boolean {
  return ofLogged(
    guest,
    experimentIds,
    series.map(({ kind }) => kind),
  );
}

async function ofVersion(
  { query: { artifact, version } }: { query: { artifact: string; version: string } },
  { organizationId, experimentIds, showsFiles }: GuestCaller,
  storage: Pick<Storage, "read">,
): Promise<boolean> {
  if (!showsFiles) return false;
  return storage.read("guestLink.wrote", { organizationId, experimentIds, artifact, version });
}

function ofRun({ query: { owner } }: { query: { owner: string } }, guest: GuestCaller): boolean {
  return guest.showsFiles && isShown(guest, [owner]);
}

/** Leaves out how large versions are that other experiments may have written. */
function sizelessInputs(reply: RunLineage): RunLineage {
  const inputs = reply.inputs.map((link) => {
    const { bytes: _, ...node } = link.node;
    return { ...link, node };
  });
  return { ...reply, inputs };
}

/** Parses a reply that the storage has printed. */
function parsed(reply: unknown): unknown {
  if (typeof reply === "string") return JSON.parse(reply);
  if (reply instanceof Uint8Array) return JSON.parse(Buffer.from(reply).toString());
  if (Array.isArray(reply)) return JSON.parse(Buffer.concat(reply as Uint8Array[]).toString());
  return reply;
}

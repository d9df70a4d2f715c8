import { type EndpointName, endpoints } from "@lossless/protocol";
import { call, type HttpReply, type HttpRequest } from "../http.ts";
import {
  type Asked,
  credentialOfAcme,
  requestsOf,
  requestTo,
  toolCall,
} from "../contract/every-operation/requests.ts";
import { residentMebibytes, restartPeak } from "../bench/measure.ts";
import type { Abuse } from "./abuse.ts";
import type { Acme } from "./acme.ts";
import { fills } from "./fills.ts";
import { askAndLeave } from "./leaving.ts";
import type { Scene } from "./scene.ts";

/** Reads that are the same work for the service: the thread they hold, and what they pass over. */
export interface KindOfRead {
  name: string;
  operations: readonly EndpointName[];
  /** Makes many of what is read. */
  fill(scene: Scene, acme: Acme): Promise<void>;
  /** Dear requests, beside those that every operation has (requests.ts). */
  more?(acme: Acme): Partial<Record<EndpointName, Asked[]>>;
}

/** Memory in MiB that one of them may add while it is read many times at once. */
const growthMebibytes = 600;
const replyBytesMax = 80 * 1024 * 1024;

/** Each request many times at once, by clients that take the reply and by clients that leave. */
export function readsOfKind({ name, operations, fill, more }: KindOfRead): Abuse {
  return {
    name,
    operations,
    isTimed: true,
    async prepare(scene) {
      const acme = await scene.acme();
      await fill(scene, acme);
      const requests = requestsToRead(operations, acme, more?.(acme) ?? {});
      const { baseUrl, processId } = scene.service;
      return async () => {
        restartPeak(processId);
        const before = residentMebibytes(processId);
        const times = Array.from({ length: scene.amount(4, 12) });
        for (const [operation, asked] of requests) {
          const staying = times.map(() => call(baseUrl, asked));
          await Promise.all(times.map(() => askAndLeave(baseUrl, asked)));
          for (const reply of await Promise.all(staying)) judge(scene, operation, reply);
        }
        const grown = Math.round(residentMebibytes(processId, "VmHWM") - before);
        scene.notes.push(`${requests.length} requests; ${grown} MiB more at the most`);
        scene.expect(grown <= growthMebibytes, `it took ${grown} MiB more`);
      };
    },
  };
}

function requestsToRead(
  operations: readonly EndpointName[],
  { things, owner, scim }: Acme,
  more: Partial<Record<EndpointName, Asked[]>>,
): [EndpointName, HttpRequest][] {
  const usual = requestsOf(things);
  const shown = { owner, scim, experimentToken: things.experimentToken };
  return operations.flatMap((operation) => {
    const asked = [...(usual[operation] ?? [{}]), ...(more[operation] ?? [])];
    const isOpen = endpoints[operation].credentials.length === 0;
    const credential = isOpen ? undefined : credentialOfAcme(operation, shown);
    return asked
      .filter(({ body }) => operation !== "organizationEvents" || isReadEvent(body))
      .map((one): [EndpointName, HttpRequest] => [
        operation,
        { ...requestTo(operation, one), credential },
      ]);
  });
}

function isReadEvent(body: unknown): boolean {
  return /"svc\.v2\.(query\.|foldertree)/.test(JSON.stringify(body));
}

/** Accepts a refusal of a read that is too large, and no other failure. */
function judge(scene: Scene, operation: string, { status, text }: HttpReply): void {
  const isKnown = status < 400 || [429, 501, 503].includes(status);
  scene.expect(isKnown, `${operation} got ${status}: ${text.slice(0, 200)}`);
  scene.expect(text.length < replyBytesMax, `${operation} got ${text.length} bytes`);
}

const many = "meta.wide.key0";

/** Beside the modes of replies.ts, reads.ts and unread.ts, which attack one bound each. */
export const kindsOfReads: readonly KindOfRead[] = [
  {
    name: "reads of the audit log",
    operations: ["readAudit", "readAuditView", "readAuditTerms"],
    fill: fills.audited,
    more: () => ({
      readAudit: [{ query: { before: "zzzz" } }],
      readAuditView: [
        { query: { actor: "nobody" } },
        { query: { action: "apiKey", subject: "nobody" } },
      ],
    }),
  },
  {
    name: "reads of artifacts and their versions",
    operations: [
      ...([
        "viewArtifacts",
        "viewArtifact",
        "listArtifacts",
        "listVersions",
        "readVersion",
        "listAliases",
        "listAliasChanges",
        "listModels",
        "readModel",
        "readModelVersion",
        "listModelAliasChanges",
      ] as const),
      ...([
        "readExperimentArtifacts",
        "readRunLineage",
        "readVersionLineage",
        "readLineageGraph",
        "readSentBytes",
        "readFileAddress",
      ] as const),
    ],
    fill: fills.artifacts,
    more: () => ({
      viewArtifacts: [
        { query: { search: "a*b*c*d*e*f*g*h*i*j*k" } },
        { query: { search: "a", sort: "newest" } },
        { query: { sort: "newest" } },
      ],
      listArtifacts: [{}],
    }),
  },
  {
    name: "reads of what people keep, and of people",
    operations: [
      ...(["listSavedViews", "listReports", "readReport", "listRetentionRules"] as const),
      "readReportPicture",
      ...(["listWorkspaces", "readWorkspaces", "listWorkspaceVersions"] as const),
      ...(["listPeople", "listInvitations", "listApiKeys", "listTokens", "listSignIns"] as const),
      "listGuestLinks",
      ...(["readMlflowLocations", "readSignOn", "readScim", "listOrganizations"] as const),
    ],
    fill: fills.kept,
  },
  {
    name: "reads of the trash, and of what rules find",
    operations: [
      ...(["listTrash", "readTrashSettings", "readOrganizationContents"] as const),
      ...(["listDeletedOrganizations", "tryRetentionRule"] as const),
    ],
    fill: fills.trashed,
  },
  {
    name: "reads by an identity provider",
    operations: ["scimListUsers", "scimReadUser", "scimListGroups", "scimReadGroup"],
    fill: fills.provided,
    more: () => ({
      scimListUsers: [
        { query: { count: "1000", startIndex: "2" } },
        { query: { filter: 'externalId eq "nobody"' } },
      ],
      scimListGroups: [
        { query: { count: "1000" } },
        { query: { filter: 'displayName eq "nobody"' } },
      ],
    }),
  },
  {
    name: "reads of tables, their names and their folders",
    operations: ["readTable", "readFields", "readFolders"],
    fill: fills.experiments,
    more: () => ({
      readTable: [
        { body: { query: "", sort: [{ field: many }, { field: "slug" }], limit: 1_000 } },
        { body: { query: `${many} exists not status = done`, limit: 1_000 } },
      ],
      readFields: [{ body: { text: "key" } }, { body: { text: "", field: many } }],
    }),
  },
  {
    name: "differences, and what sets some apart",
    operations: ["readDifference"],
    fill: fills.experiments,
    more: ({ things }) => ({
      readDifference: [
        { body: { query: "", equalKeys: true } },
        { body: { query: "", experimentIds: [things.experiment], apart: true } },
      ],
    }),
  },
  {
    name: "files of experiments, points and annotations",
    operations: [
      ...(["readTableCsv", "exportExperiments", "exportAnnotations"] as const),
      ...(["exportPoints", "exportLineage", "exportLines", "readPointsCsv"] as const),
    ],
    fill: fills.experiments,
    more: () => ({
      readTableCsv: [{ query: { query: "", sort: many, columns: many } }],
      exportExperiments: [{ query: {} }],
      exportAnnotations: [{ query: { query: "" } }],
      exportLineage: [{ query: { query: "" } }],
      exportLines: [{ query: { query: "" } }],
    }),
  },
  {
    name: "charts of every axis, scale and smoothing",
    operations: ["readOverview", "readPoints"],
    fill: fills.points,
    more: ({ things }) => ({ readOverview: overviews(things.experiment, things.series) }),
  },
  {
    name: "groups of all curves, and of all rows of a table",
    operations: ["readGroups", "readExperimentGroups"],
    fill: fills.experiments,
    more: ({ things }) => ({
      readGroups: groupings(things.series).map((body) => ({ body })),
      readExperimentGroups: [
        { body: { query: "", by: ["slug"], columns: Array(100).fill(many), limit: 1_000 } },
        { body: { query: "", by: [many, "status", "folder", "tag"], limit: 1_000 } },
      ],
    }),
  },
  {
    name: "questions of agents",
    operations: ["mcp"],
    fill: fills.experiments,
    more: ({ things: { slug, series } }) => ({
      mcp: [
        toolCall("find_experiments", { sort: many, columns: Array(20).fill(many), limit: 100 }),
        toolCall("compare_experiments", { experiments: Array(20).fill(slug) }),
        toolCall("what_sets_apart", { experiments: [slug] }),
        toolCall("read_series", { experiment: slug, metrics: Array(5).fill(series), columns: 100 }),
        toolCall("wait_until", { experiment: slug, until: "loss < 0", seconds: 1 }),
      ].map((body) => ({ body })),
    }),
  },
  {
    name: "waits for changes",
    operations: ["readChanges", "waitUntil", "readNewAnnotations"],
    fill: fills.annotations,
    more: ({ things: { experiment } }) => ({
      waitUntil: [{ body: { experimentId: experiment, until: "loss < 0", waitMs: 1_000 } }],
      readChanges: [
        { body: { experiments: [{ experimentId: experiment, revision: 1e9 }], waitMs: 1_000 } },
        { body: { experiments: [], waitMs: 500 } },
      ],
    }),
  },
  {
    name: "consoles, and searches of them that find nothing",
    operations: ["readConsole", "searchConsole"],
    fill: fills.console,
    more: ({ things: { experiment: experimentId } }) => ({
      readConsole: [
        { body: { experimentId, first: 0, limit: 10_000 } },
        { body: { experimentId, atMs: 1e12 } },
        { body: { experimentId, streams: ["critical"] } },
      ],
      searchConsole: [
        { body: { experimentId, text: "not there" } },
        { body: { experimentId, text: "NOT THERE", ignoreCase: true } },
        { body: { experimentId, pattern: "[0-9]+ x+y|z", before: 1e9 } },
      ],
    }),
  },
  {
    name: "media, texts and histograms over steps",
    operations: [
      ...(["readLoggedNames", "readLoggedSteps", "readLoggedNearest"] as const),
      ...(["readLoggedItems", "readLoggedTexts", "readLoggedHistograms"] as const),
    ],
    fill: fills.logged,
    more: ({ things: { experiment } }) => {
      const experimentIds = [experiment];
      const series = [0, 1, 2].map((at) => ({ kind: "image", name: `filled ${at}` }));
      return {
        readLoggedNames: [{ body: { experimentIds, text: "a*b*c*d" } }],
        readLoggedSteps: [{ body: { experimentIds, series } }],
        readLoggedNearest: [{ body: { experimentIds, series, step: 1e6 } }],
        readLoggedItems: [{ body: { experimentIds, ...series[0], limit: 1_000 } }],
        readLoggedTexts: [{ body: { experimentIds, name: "filled" } }],
        readLoggedHistograms: [
          { body: { experimentIds, name: "filled", columns: 512, bins: 256 } },
        ],
      };
    },
  },
  {
    name: "attempts of thousands of processes, each of whom says much",
    operations: ["readAttempts"],
    fill: fills.attempts,
    more: ({ things: { experiment: experimentId } }) => ({
      readAttempts: [{ body: { experimentId } }, { body: { experimentId, limit: 1 } }],
    }),
  },
  {
    name: "events and streams that read",
    operations: ["organizationEvents", "querySeries", "authStatus"],
    fill: fills.annotations,
  },
  {
    name: "reads of amounts and locations",
    operations: ["readUsage", "readUsageView", "readOrganization", "whoami", "readSession"],
    fill: fills.artifacts,
    more: () => ({
      readUsageView: [
        { query: { days: "366", by: "location" } },
        { query: { days: "366", by: "transfer" } },
      ],
    }),
  },
  {
    name: "searches and histories of MLflow",
    operations: [
      ...(["mlflowSearchExperiments", "mlflowListExperiments", "mlflowGetExperiment"] as const),
      ...(["mlflowGetExperimentByName", "mlflowGetRun", "mlflowSearchRuns"] as const),
      ...(["mlflowSearchDatasets", "mlflowMetricHistory", "mlflowMetricHistories"] as const),
      ...(["mlflowSampledHistories", "mlflowServerInfo"] as const),
    ],
    fill: fills.runs,
    more: ({ things: { mlflowExperiment } }) => ({
      mlflowSearchRuns: [
        {
          body: {
            experiment_ids: [mlflowExperiment, "0"],
            filter: "params.wide0 LIKE '%a%' AND tags.wide0 LIKE '%b%'",
            order_by: ["metrics.wide DESC", "params.wide0"],
            max_results: 1_000,
          },
        },
      ],
      mlflowSearchExperiments: [{ body: { filter: "name LIKE '%a%b%'", max_results: 1_000 } }],
    }),
  },
  {
    name: "searches of logged models",
    operations: [
      ...(["mlflowSearchModels", "mlflowGetModel", "mlflowListModelFiles"] as const),
      ...(["mlflowGetRegisteredModel", "mlflowSearchRegisteredModels"] as const),
      ...(["mlflowGetLatestVersions", "mlflowListLatestVersions"] as const),
      ...(["mlflowGetModelVersionByAlias", "mlflowGetModelVersion"] as const),
      ...(["mlflowSearchModelVersions", "mlflowGetDownloadUri"] as const),
    ],
    fill: fills.models,
    more: ({ things: { mlflowExperiment } }) => ({
      mlflowSearchModels: [
        {
          body: {
            experiment_ids: [mlflowExperiment],
            filter: "params.wide LIKE '%a%b%'",
            order_by: [{ field_name: "creation_timestamp" }],
          },
        },
      ],
    }),
  },
  {
    name: "files of runs, models and versions",
    operations: [
      ...(["readNote", "readFilePart", "readFileFrame", "viewRunFiles"] as const),
      ...(["readRunFileAddress", "readRunFilePart", "mlflowReadFile", "mlflowSignFile"] as const),
      ...(["mlflowReadModelFile"] as const),
      ...(["mlflowListFiles", "mlflowListRunFiles", "mlflowGetRunFile"] as const),
    ],
    fill: fills.files,
  },
];

function groupings(seriesName: string): object[] {
  const chart = { query: "", seriesName, columns: 2_048, groupsMax: 200 };
  return [
    { ...chart, by: ["slug"], xAxis: "step" },
    { ...chart, by: [many], xAxis: "elapsed" },
    { ...chart, by: [], xAxis: "step", smooth: { kind: "gauss", points: 1_000 } },
    { ...chart, by: [], xAxis: "metric", xSeriesName: seriesName, xScale: "log" },
  ];
}

function overviews(experimentId: string, seriesName: string): Asked[] {
  const chart = { series: [{ experimentId, seriesName }], columns: 1_600 };
  const many = Array.from({ length: 100 }, () => ({ experimentId, seriesName }));
  const smooths = [
    { kind: "x", weight: 0.999 },
    { kind: "ema", weight: 0.999 },
    { kind: "gauss", points: 1_000 },
  ];
  return [
    ...["step", "offset", "elapsed", "timestamp"].map((xAxis) => ({ body: { ...chart, xAxis } })),
    ...smooths.map((smooth) => ({ body: { ...chart, xAxis: "step", smooth } })),
    { body: { ...chart, xAxis: "step", xScale: "log" } },
    { body: { ...chart, xAxis: "step", align: true } },
    { body: { series: many, xAxis: "step", columns: 1_000 } },
  ];
}

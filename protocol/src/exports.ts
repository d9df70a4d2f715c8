import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { reference } from "./schema.ts";
import { queryParameter } from "./table.ts";
import * as Type from "./type.ts";
import { extensionRead, readErrors } from "./v1-endpoint.ts";

const choice = {
  query: Type.Optional(
    queryParameter("Query for the experiments; default: all. The newest come first."),
  ),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  experimentIds: Type.Optional(
    Type.String({
      description: `Instead: up to ${limits.exportExperimentsMax} ids, separated by commas, in their order.`,
      maxLength: limits.pointsCsvListCharactersMax,
    }),
  ),
};

export const ExportQuery = Type.Object(choice);
export type ExportQuery = Type.Static<typeof ExportQuery>;

export const PointsFileQuery = Type.Object({
  ...choice,
  seriesNames: Type.Optional(
    Type.String({
      description: "Only these series: a list of names in JSON.",
      maxLength: limits.pointsCsvListCharactersMax,
    }),
  ),
  filter: Type.Optional(
    Type.String({
      description: "A JSON list of predicates: only partitions that match all of them.",
      maxLength: limits.pointsCsvFilterCharactersMax,
    }),
  ),
});
export type PointsFileQuery = Type.Static<typeof PointsFileQuery>;

const file = {
  ...extensionRead,
  reply: { kind: "parquet", status: 200 },
} as const;

const about =
  "Parquet, compressed with Zstandard, streamed by row group: an incomplete file has no footer, and no " +
  "reader opens it. The header x-svc-experiments counts the experiments. With a session cookie only a " +
  "page of the service may ask for it.";

/** Files for other programs, each about a set of experiments. */
export const exportEndpoints = {
  exportPoints: {
    ...file,
    path: "/api/views/v1/points.parquet",
    summary: "Every point of the experiments that a query finds, as one Parquet file, streamed.",
    about: `${about} Each experiment is of the moment at which it is read; one deleted before that is left out.`,
    query: PointsFileQuery,
    errors: [...readErrors, "data_corrupted"],
  },
  exportExperiments: {
    ...file,
    path: "/api/views/v1/experiments.parquet",
    summary: "The experiments that a query finds with their metas, as a Parquet file.",
    about: `${about} Keys of metas are columns, in the type that all of their values have; \`meta\` has each as it was recorded.`,
    query: ExportQuery,
  },
  exportAnnotations: {
    ...file,
    path: "/api/views/v1/annotations.parquet",
    summary: "The annotations of the experiments that a query finds, as a Parquet file.",
    about,
    query: ExportQuery,
  },
  exportLineage: {
    ...file,
    path: "/api/views/v1/lineage.parquet",
    summary: "What the experiments that a query finds used and made, as a Parquet file.",
    about: `${about} A row for each version of an artifact, data set and model.`,
    query: ExportQuery,
  },
  exportLines: {
    ...file,
    path: "/api/views/v1/lines.parquet",
    summary:
      "Every line that the experiments that a query finds have printed, as a Parquet file, streamed.",
    about: `${about} Each console is of the moment at which its turn comes.`,
    query: ExportQuery,
    errors: [...readErrors, "data_corrupted"],
  },
} as const satisfies Record<string, EndpointDefinition>;

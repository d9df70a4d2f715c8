import { limits } from "./limits.ts";
import { reference } from "./schema.ts";
import { queryParameter } from "./table.ts";
import * as Type from "./type.ts";

const choice = {
  query: Type.Optional(queryParameter("Which experiments; left out: all. The newest come first.")),
  folderId: Type.Optional(reference("Only those in this folder and in all below it.")),
  experimentIds: Type.Optional(
    Type.String({
      description: `In place of these: up to ${limits.exportExperimentsMax} ids, separated by commas, in their order.`,
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
      description: "Only partitions that all predicates of this list match, in JSON.",
      maxLength: limits.pointsCsvFilterCharactersMax,
    }),
  ),
});
export type PointsFileQuery = Type.Static<typeof PointsFileQuery>;

import * as Type from "./type.ts";
import { closedObject, experimentIdentity } from "./schema.ts";

export const CatalogQueryData = experimentIdentity("CatalogQueryData", {});

export const CatalogSeries = closedObject("CatalogSeries", {
  seriesName: Type.String(),
  metadata: Type.Unsafe<Record<string, string[]>>({
    type: "object",
    description: "Every metadata key with the values seen for it, both ordered bytewise.",
    additionalProperties: { type: "array", items: { type: "string" } },
  }),
});
export type CatalogSeries = Type.Static<typeof CatalogSeries>;

export const CatalogResultData = closedObject("CatalogResultData", {
  experimentId: Type.String({
    description: "The experiment; as requested if there is none with this id.",
  }),
  series: Type.Array(CatalogSeries, {
    description: "Ordered by name, bytewise; empty for an unknown id.",
  }),
});

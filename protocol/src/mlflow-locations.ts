import { limits } from "./limits.ts";
import { closedObject } from "./schema.ts";
import * as Type from "./type.ts";

/** Places besides the service where files of MLflow's experiments may be kept. */
export const MlflowLocations = closedObject("MlflowLocations", {
  allowed: Type.Array(
    Type.String({
      description:
        "Allowed beginnings of a new experiment's `artifact_location`, up to a slash or its end: `s3://bucket/path`, " +
        "`abfss://container@account.dfs.core.windows.net`. A scheme alone, `gs://`, allows every location of that scheme.",
      maxLength: 2_048,
      pattern: "^[a-z][a-z0-9+.-]*://[^\\x00-\\x20\\\\\\x7f]*$",
      "x-rule":
        "must begin with a scheme in small letters and ://, and have no spaces and backslashes",
    }),
    {
      description: "Empty, the default: none is allowed.",
      maxItems: limits.mlflowLocationsMax,
    },
  ),
});
export type MlflowLocations = Type.Static<typeof MlflowLocations>;

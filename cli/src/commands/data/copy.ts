import { join } from "node:path";
import type { Ending } from "@lossless/server/operator/copy";
import { noPositionals, UsageError } from "../../command.ts";
import { dataCommand, driverSettingsOf, serviceOptionsOf } from "../../data-location.ts";
import { Interruption } from "../../interruption.ts";
import { countedText, printable } from "../../output.ts";

export const copy = dataCommand({
  usage: "copy --to postgres://… --to-data DIR | copy --database-url U --to-data DIR",
  help: `
Copies a whole installation, with its ids, API keys, tokens and artifacts, from a data directory to PostgreSQL, or
back. It compares every row, and checks the copy as lossless verify does. No service may run on the source. The new
database must have no data, and DIR must be empty or not exist: it gets the master key, the files of the built-in
location and, without --to, the database. The source stays unchanged.

  --to U             the new database on PostgreSQL
  --to-password-file F  holds its password
  --to-data DIR      the new data directory
  --to-segments U    sealed points go to S3, as --segments of the service on the new database
  --segments U       the same for the source (LOSSLESS_SEGMENTS)
  --artifacts DIR    files of the built-in location of the source (LOSSLESS_ARTIFACTS; artifacts in its directory)`,
  options: {
    to: { type: "string" },
    "to-password-file": { type: "string" },
    "to-data": { type: "string" },
    "to-segments": { type: "string" },
    segments: { type: "string" },
    artifacts: { type: "string" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, environment, output } = invocation;
    const { copyInstallation } = await import("@lossless/server/operator/copy");
    const { ownStoreOf, segmentStoreOf } = await import("@lossless/server/settings/segment-store");
    const { exitCodes } = await import("@lossless/server/ground/exit-codes");
    const { parsePostgresUrl } = await import("@lossless/server/ground/postgres-url");
    const { artifacts, segments } = await serviceOptionsOf(invocation, ["artifacts", "segments"]);
    const located = await driverSettingsOf(invocation);
    const data = values.required("to-data");
    const databaseUrl = values.text("to");
    const toSegments = values.text("to-segments");
    if (toSegments !== undefined && databaseUrl === undefined) {
      throw new UsageError("--to-segments needs --to: in a data directory sealed points are files");
    }
    const passwordFile = values.text("to-password-file");
    if (databaseUrl !== undefined) checked(() => parsePostgresUrl(databaseUrl));
    if (
      passwordFile !== undefined &&
      (databaseUrl === undefined || parsePostgresUrl(databaseUrl).hasPassword)
    ) {
      throw new UsageError("--to-password-file needs --to, with an address that has no password");
    }
    let ending: Ending | undefined;
    using _interruption = new Interruption(() => {
      ending?.clean?.();
      output.failure(`stopped; ${ending?.sentence ?? "nothing was done"}`);
    });
    const copied = await copyInstallation(
      {
        ...located,
        artifacts,
        segments:
          segments === undefined
            ? undefined
            : segmentStoreOf(segments, located.databaseUrl, environment),
      },
      {
        data,
        dataDirectory: databaseUrl === undefined ? data : undefined,
        databaseUrl,
        databasePasswordFile: passwordFile,
        cacheDirectory: join(data, "cache"),
        artifacts: undefined,
        segments:
          toSegments === undefined
            ? undefined
            : ownStoreOf("--to-segments", toSegments, environment),
      },
      (now) => (ending = now),
    );
    output.answer(copied, () => {
      const { tables, rows, objects, files, verification } = copied;
      const { problems, experiments, points } = verification;
      return [
        ...problems.map(printable),
        `copied ${countedText(rows, "row")} of ${countedText(tables, "table")}, ${countedText(objects, "object")} and ${countedText(files, "file")}: ` +
          `${countedText(experiments, "experiment")}, ${countedText(points, "point")}, ${problems.length === 0 ? "no damage" : "DAMAGED"}`,
      ].join("\n");
    });
    return copied.verification.problems.length === 0 ? 0 : exitCodes.corruption;
  },
});

function checked(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new UsageError(`--to ${(error as Error).message}`);
  }
}

import { onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { PartialFiles } from "../../export/write-atomically.ts";
import { ownMlflowServer } from "../../import/mlflow/own-server.ts";
import { Interruption } from "../../interruption.ts";
import { exportOrganization, type ExportResult } from "../../organization/export-organization.ts";
import { countedText, printable } from "../../output.ts";

export const exportAll = serviceCommand({
  usage: "export organization DIR [options]",
  help: `
Writes everything that the members of an organization see into one directory: folders, experiments with every point
and annotation, the data of MLflow's clients, artifacts with all versions, saved views and reports.
lossless import organization DIR imports it, into any organization. You may interrupt and repeat it: it then writes only
changes. The trash, people, keys, locations and the audit log are left out.

  --parallel N       experiments at once (4)`,
  options: { parallel: { type: "string" } },
  async run(invocation) {
    const { values, output } = invocation;
    const directory = onlyPositional(invocation, "directory");
    const parallel = values.integer("parallel", 4, 1, 32);
    // An unreachable service or a wrong key fails at once.
    await clientOf(invocation).authStatus();
    const client = clientOf(invocation, patienceMs);
    const partials = new PartialFiles();
    using _interruption = new Interruption(() => {
      partials.removeAll();
      output.failure("stopped; run the same command again to resume");
    });
    const source = { client, mlflow: ownMlflowServer(invocation), partials };
    const result = await exportOrganization(source, directory, {
      parallel,
      note: (line) => output.note(printable(line)),
    });
    const missing = [...result.leftOut, ...result.problems];
    for (const what of missing) output.note(printable(what));
    output.answer({ directory, ...result }, () => sentence(result, directory));
    return missing.length === 0 ? 0 : 1;
  },
});

/** Milliseconds to wait for a service that restarts: this runs for hours. */
const patienceMs = 300_000;

function sentence({ counts, problems, ...written }: ExportResult, directory: string): string {
  const { experiments, points, versions } = counts;
  const all = `${countedText(experiments, "experiment")} with ${countedText(points, "point")}, and ${countedText(versions, "version")} of artifacts`;
  const news = `${countedText(written.experimentsWritten, "experiment")} and ${countedText(written.versionsWritten, "version")} new`;
  const failed = problems.length === 0 ? "" : `; ${problems.length} failed, run it again`;
  return `${directory} has ${all}: ${news}${failed}`;
}

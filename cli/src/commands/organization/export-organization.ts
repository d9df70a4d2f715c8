import { type Invocation, onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { PartialFiles } from "../../export/write-atomically.ts";
import { ownMlflowServer } from "../../import/mlflow/own-server.ts";
import { Interruption } from "../../interruption.ts";
import { exportOrganization, type ExportResult } from "../../organization/export-organization.ts";
import { countedText, printable } from "../../output.ts";

export const exportAll = serviceCommand({
  usage: "export organization DIR [options]",
  help: `
Writes everything of an organization that its people see into one directory: folders, experiments with every point
and annotation, what MLflow's clients wrote beside them, artifacts with all versions, saved views and reports.
lossless import organization DIR puts it back, into another organization too. Running it again, also after it was
stopped, writes what has changed since. What is in the trash, people, keys, locations and the audit log are left out.

  --parallel N       experiments at once (4)`,
  options: { parallel: { type: "string" } },
  run: runExport,
});

/** Milliseconds to wait for a service that restarts: this runs for hours. */
const patienceMs = 300_000;

async function runExport(invocation: Invocation): Promise<number> {
  const { values, output } = invocation;
  const directory = onlyPositional(invocation, "directory");
  const parallel = values.integer("parallel", 4, 1, 32);
  // An unreachable service or a wrong key fails at once.
  await clientOf(invocation).authStatus();
  const client = clientOf(invocation, patienceMs);
  const partials = new PartialFiles();
  using _interruption = new Interruption(() => {
    partials.removeAll();
    output.failure("stopped; run the same command again to go on");
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
}

function sentence({ counts, problems, ...written }: ExportResult, directory: string): string {
  const { experiments, points, versions } = counts;
  const all = `${countedText(experiments, "experiment")} with ${countedText(points, "point")}, and ${countedText(versions, "version")} of artifacts`;
  const news = `${countedText(written.experimentsWritten, "experiment")} and ${countedText(written.versionsWritten, "version")} written now`;
  const failed = problems.length === 0 ? "" : `; ${problems.length} failed, run it again`;
  return `${directory} has ${all}: ${news}${failed}`;
}

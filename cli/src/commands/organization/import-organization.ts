import { onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { ownMlflowServer } from "../../import/mlflow/own-server.ts";
import { Interruption } from "../../interruption.ts";
import { importOrganization, type ImportResult } from "../../organization/import-organization.ts";
import { countedText, countText, printable } from "../../output.ts";

export const importAll = serviceCommand({
  usage: "import organization DIR [options]",
  help: `
Imports the directory of lossless export organization into the organization of the credential, under the same slugs,
folders and names of artifacts. Ids are new; the old times are in the meta, under _origin. You may interrupt and repeat
it: it stores nothing twice, and adds what a later export has more.

  --parallel N       experiments at once (4)`,
  options: { parallel: { type: "string" } },
  async run(invocation) {
    const { values, output } = invocation;
    const directory = onlyPositional(invocation, "directory");
    const parallel = values.integer("parallel", 4, 1, 32);
    await clientOf(invocation).authStatus();
    const client = clientOf(invocation, patienceMs);
    using _interruption = new Interruption(() => {
      output.failure("stopped; run the same command again: nothing is stored twice");
    });
    const target = { client, mlflow: ownMlflowServer(invocation), patienceMs };
    const result = await importOrganization(target, directory, {
      parallel,
      note: (line) => output.note(printable(line)),
    });
    const missing = [...result.leftOut, ...result.problems];
    for (const what of missing) output.note(printable(what));
    output.answer(result, () => sentence(result));
    return missing.length === 0 ? 0 : 1;
  },
});

/** Milliseconds to wait for a service that restarts: this runs for hours. */
const patienceMs = 300_000;

function sentence(result: ImportResult): string {
  const { experiments, known, points, versions, problems } = result;
  const all = `${countedText(experiments, "experiment")}, ${countText(known)} of them already imported`;
  const news = `${countedText(points, "point")} and ${countedText(versions, "version")} of artifacts new`;
  return `${all}: ${news}${problems.length === 0 ? "" : `; ${countedText(problems.length, "problem")}`}`;
}

import { type Command, type Invocation, onlyPositional } from "../../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { table } from "../../output.ts";

export const list: Command = {
  usage: "series list SLUG",
  help: `
Lists the series of an experiment with the values seen for each metadata key.
${connectionHelp}`,
  options: connectionOptions,
  run: runList,
};

async function runList(invocation: Invocation): Promise<number> {
  const experimentSlug = onlyPositional(invocation, "experiment by its slug");
  const client = clientOf(invocation);
  const { series } = await namedExperiment(client, experimentSlug, () =>
    client.catalog({ experimentSlug }),
  );
  invocation.output.answer(series, () =>
    table(
      ["SERIES", "METADATA"],
      series.map(({ seriesName, metadata }) => {
        const keys = Object.entries(metadata).map(
          ([key, values]) => `${key}: ${values.join(", ")}`,
        );
        return [seriesName, keys.join("; ")];
      }),
    ),
  );
  return 0;
}

import { onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { table } from "../../output.ts";

export const list = serviceCommand({
  usage: "series list SLUG",
  help: `
Lists the series of an experiment with the values of each metadata key.
`,
  async run(invocation) {
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
  },
});

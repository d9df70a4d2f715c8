import { UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countText, table } from "../../output.ts";

export const artifacts = serviceCommand({
  usage: "artifacts [PREFIX]",
  help: `
Lists artifacts that have versions and whose path starts with PREFIX, by path.
`,
  async run(invocation) {
    const [prefix = "", ...more] = invocation.positionals;
    if (more.length > 0) {
      throw new UsageError(
        `unexpected word: ${more[0]}; one prefix at most: lossless artifacts [PREFIX]`,
      );
    }
    const found = await Array.fromAsync(clientOf(invocation).artifacts.list(prefix));
    invocation.output.answer(found, () =>
      table(
        ["ARTIFACT", "VERSIONS", "BYTES", "LATEST", "COMMITTED", "SOURCE"],
        found.map(({ artifact, versions, bytes, latest, lastCommit, source }) => [
          artifact,
          countText(versions),
          bytesText(bytes),
          latest,
          lastCommit,
          source ?? "-",
        ]),
      ),
    );
  },
});

import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  limits,
  type LoggedItem,
  type LoggedItemsBody,
  type LoggedNamesReply,
  type LosslessClient,
} from "@lossless/client";
import { CommandError, type Invocation, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { fromBeforeText, table } from "../../output.ts";

export const media = serviceCommand({
  usage: "media SLUG [NAME] [options]",
  help: `
Lists what a run has logged beside numbers: pictures, audio, video, tables, histograms, plots, HTML and texts. With
NAME, what was logged under that name, by step.

  --kind KIND   image, audio, video, table, histogram, html, plot, plotly or text
  --step N      only the items at the step nearest to this one
  --out DIR     writes the files into this directory
`,
  options: {
    kind: { type: "string" },
    step: { type: "string" },
    out: { type: "string" },
  },
  run: runMedia,
});

async function runMedia(invocation: Invocation): Promise<void> {
  const [slug, name, ...others] = invocation.positionals;
  if (slug === undefined || others.length > 0)
    throw new UsageError("give an experiment by its slug, and at most one name");
  const client = clientOf(invocation);
  const { experimentId } = await namedExperiment(client, slug, () =>
    client.experiment({ experimentSlug: slug }),
  );
  const { series, isBehind } = await client.logged.names({ experimentIds: [experimentId] });
  if (isBehind) invocation.output.note(`${fromBeforeText}: media may be missing`);
  const kind = invocation.values.text("kind");
  const chosen = series.filter((one) => kind === undefined || one.kind === kind);
  if (name === undefined) return tell(invocation, chosen);
  const named = chosen.filter((one) => one.name === name);
  if (named.length === 0) throw new CommandError(`${slug} has logged nothing as ${name}`);
  if (named.length > 1) {
    const words = named.map((one) => one.kind).join(" or ");
    throw new UsageError(`${name} has several kinds: give --kind ${words}`);
  }
  const wanted = { experimentIds: [experimentId], kind: named[0].kind, name };
  const items = await itemsOf(client, invocation, wanted);
  const directory = invocation.values.text("out");
  if (directory !== undefined) await save(client, items, directory);
  invocation.output.answer(items, () =>
    table(
      ["STEP", "TIME", "CONTENT"],
      items.map(({ step, timestampMs, text, file }) => [
        String(step),
        new Date(timestampMs).toISOString(),
        text ?? file?.path ?? "",
      ]),
    ),
  );
}

function tell({ output }: Invocation, series: LoggedNamesReply["series"]): void {
  output.answer(series, () =>
    table(
      ["NAME", "KIND", "ITEMS", "STEPS"],
      series.map(({ name, kind, items, firstStep, lastStep }) => [
        name,
        kind,
        String(items),
        `${firstStep} to ${lastStep}`,
      ]),
    ),
  );
}

async function itemsOf(
  client: LosslessClient,
  { values }: Invocation,
  { experimentIds, kind, name }: Pick<LoggedItemsBody, "experimentIds" | "kind" | "name">,
): Promise<LoggedItem[]> {
  if (values.text("step") !== undefined) {
    const step = values.integer("step", 0, 0, Number.MAX_SAFE_INTEGER - 1);
    const series = [{ kind, name }];
    return (await client.logged.nearest({ experimentIds, series, step })).items;
  }
  const items: LoggedItem[] = [];
  for await (const page of client.logged.allItems({ experimentIds, kind, name, limit: 1_000 }))
    items.push(...page);
  return items;
}

/** Writes the files under their names, with the step before them. */
async function save(client: LosslessClient, items: readonly LoggedItem[], directory: string) {
  await mkdir(directory, { recursive: true });
  for (const { step, file } of items) {
    if (file === undefined) continue;
    const pieces: Uint8Array[] = [];
    for (let offset = 0; ;) {
      const piece = await client.logged.filePart(file, { offset });
      pieces.push(piece);
      offset += piece.length;
      if (piece.length < limits.filePartBytesMax) break;
    }
    await writeFile(join(directory, `${step}-${basename(file.path)}`), Buffer.concat(pieces));
  }
}

import {
  type AnnotationsResultData,
  type Attempt,
  attemptText,
  type AttributesResultData,
  type CatalogResultData,
  type ExperimentRecord,
} from "@lossless/client";
import { originKeys, tagsOfOrigin } from "@lossless/protocol/origin";
import { onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { credentialOf } from "../../login/credential.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { attemptsOf } from "../../organization/attempts.ts";
import { printable, timeText } from "../../output.ts";

export const show = serviceCommand({
  usage: "experiments show SLUG",
  help: `
Shows one experiment: its page, status, description, meta and times, its name, params, tags, data sets and models from
MLflow's clients, its attempts and how they ended, its number of series, and its newest annotations. --json has all of them, and every series with its partitions.
`,
  async run(invocation) {
    const experimentSlug = onlyPositional(invocation, "experiment by its slug");
    const client = clientOf(invocation);
    const experiment = await namedExperiment(client, experimentSlug, () =>
      client.experiment({ experimentSlug }),
    );
    const catalog = await client.catalog({ experimentSlug });
    const annotations = await client.annotations({ experimentSlug });
    const { experimentId } = experiment;
    const attempts = await attemptsOf(client, experimentId);
    const attributes = await client.attributes({ experimentSlug });
    const { url } = credentialOf(invocation);
    const page = `${url}/experiments/${experiment.experimentId}`;
    const answer = {
      experiment,
      page,
      attributes,
      attempts,
      series: catalog.series,
      annotations: annotations.annotations,
    };
    invocation.output.answer(answer, () =>
      text(experiment, page, attributes, attempts, catalog, annotations),
    );
  },
});

const shownAnnotations = 10;

function text(
  experiment: ExperimentRecord,
  page: string,
  { name, beganAtMs, endedAtMs, params, tags, datasets, models }: AttributesResultData,
  attempts: readonly Attempt[],
  { series }: CatalogResultData,
  { annotations }: AnnotationsResultData,
): string {
  const lines = [
    `slug         ${printable(experiment.slug)}`,
    `name         ${printable(name)}`,
    `id           ${experiment.experimentId}`,
    `page         ${printable(page)}`,
    `status       ${experiment.status}`,
    `description  ${printable(experiment.description)}`,
    ...metaLines(experiment.meta),
    `began        ${timeText(beganAtMs)}`,
    `ended        ${timeText(endedAtMs)}`,
    `created      ${timeText(experiment.createdAtMs)}`,
    `started      ${timeText(experiment.startedAtMs)}`,
    `done         ${timeText(experiment.doneAtMs)}`,
  ];
  if (experiment.error !== null) {
    lines.push(`error        ${timeText(experiment.errorAtMs)} ${printable(experiment.error)}`);
  }
  for (const { key, value } of params) lines.push(printable(`param        ${key} = ${value}`));
  const derived = tagsOfOrigin(experiment.meta);
  for (const { key, value } of tags) {
    // The name, source and environment are shown above.
    if (key !== "mlflow.runName" && derived.get(key) !== value)
      lines.push(printable(`tag          ${key} = ${value}`));
  }
  for (const dataset of datasets)
    lines.push(printable(`data set     ${dataset.name}  ${dataset.digest}${contextOf(dataset)}`));
  for (const { modelId, name: modelName, direction, status } of models)
    lines.push(printable(`model        ${modelId}  ${modelName ?? ""}  ${status}, ${direction}`));
  for (const attempt of attempts)
    lines.push(`attempt      ${attemptLine(attempt)}`, ...evidenceLines(attempt));
  lines.push(`series       ${series.length}`);
  lines.push(`annotations  ${annotations.length}`);
  for (const { createdAtMs, annotation, meta } of annotations.slice(0, shownAnnotations)) {
    const values = meta["kind"] === "summary" ? ` ${JSON.stringify(meta["summary"])}` : "";
    lines.push(`  ${timeText(createdAtMs)}  ${printable(`${annotation}${values}`)}`);
  }
  return lines.join("\n");
}

/** Source and environment have lines of their own, and hundreds of packages are counted. */
function metaLines(meta: ExperimentRecord["meta"]): string[] {
  const { [originKeys.source]: source, [originKeys.environment]: environment, ...config } = meta;
  const lines = [`meta         ${printable(JSON.stringify(config))}`];
  if (source !== undefined) lines.push(`source       ${printable(JSON.stringify(source))}`);
  if (typeof environment !== "object" || environment === null) return lines;
  const { packages, ...facts } = environment as Record<string, unknown>;
  lines.push(`environment  ${printable(JSON.stringify(facts))}`);
  const count = Object.keys((packages as object | undefined) ?? {}).length;
  if (count > 0) lines.push(`packages     ${count} (--json has them)`);
  return lines;
}

function attemptLine(attempt: Attempt): string {
  const { attempt: number, beganAtMs, sinceMs, state, error, next, processes, toStep } = attempt;
  const [{ host }] = processes;
  const when = { running: "", silent: ` since ${timeText(sinceMs)}` }[state as string];
  return printable(
    [
      `${number}  began ${timeText(beganAtMs)}`,
      ...(host === undefined ? [] : [` on ${host}`]),
      ...(processes.length > 1 ? [`, ${processes.length} processes`] : []),
      `, ${attemptText(attempt)}${when ?? ` at ${timeText(sinceMs)}`}`,
      ...(error === undefined ? [] : [`: ${error}`]),
      ...(toStep === undefined ? [] : [`, until step ${toStep}`]),
      ...(next === undefined ? [] : [`, continued as attempt ${next.attempt}`]),
    ].join(""),
  );
}

/** From what the end of the attempt's first process is known. */
function evidenceLines({ processes: [{ end }] }: Attempt): string[] {
  return (end?.evidence ?? []).map((sentence) => printable(`               ${sentence}`));
}

function contextOf({ tags }: AttributesResultData["datasets"][number]): string {
  const context = tags.find(({ key }) => key === "mlflow.data.context");
  return context === undefined ? "" : `  ${context.value}`;
}

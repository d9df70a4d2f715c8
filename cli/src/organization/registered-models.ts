import { hasCode, type LosslessClient, LosslessError, type ViewedModel } from "@lossless/client";
import type { ExportedModel } from "./layout.ts";

/** Exports registered models with all of their versions, the lowest first. */
export async function exportModels(client: LosslessClient): Promise<ExportedModel[]> {
  const exported: ExportedModel[] = [];
  for (let after: string | undefined; ;) {
    const page = await client.models.list(after === undefined ? {} : { after });
    for (const { model } of page.models) exported.push(await exportModel(client, model));
    if (page.next === null) return exported;
    after = page.next;
  }
}

async function exportModel(client: LosslessClient, model: string): Promise<ExportedModel> {
  let page: ViewedModel = await client.models.read(model);
  const versions = [...page.versions];
  while (page.next !== null) {
    page = await client.models.read(model, page.next);
    versions.push(...page.versions);
  }
  const { description, aliases, tags } = page;
  return { model, description, aliases, tags, versions: versions.toReversed() };
}

/** Sentences about what of registered models no import can restore. */
export function modelsLeftOut(models: readonly ExportedModel[]): string[] {
  const files = models.flatMap(({ versions }) =>
    versions.filter(({ artifact }) => artifact === null),
  );
  const word = files.length === 1 ? "version" : "versions";
  return files.length === 0
    ? []
    : [`${files.length} ${word} of registered models left out: files that MLflow's clients logged`];
}

/**
 * Registers models with their versions of artifacts, in their order. A model that is here already
 * gets versions that it lacks, and keeps its description and aliases.
 */
export async function importModels(
  client: LosslessClient,
  models: readonly ExportedModel[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const model of models) {
    try {
      await importModel(client, model);
    } catch (error) {
      if (!(error instanceof LosslessError)) throw error;
      problems.push(`model ${model.model}: ${error.message}`);
    }
  }
  return problems;
}

async function importModel(client: LosslessClient, exported: ExportedModel): Promise<void> {
  const { model, description, aliases, versions } = exported;
  const numbers = new Map<number, number>();
  for (const one of versions) {
    const { artifact, artifactVersion } = one;
    if (artifact === null || artifactVersion === null) continue;
    const body = { artifact, version: artifactVersion, description: one.description };
    numbers.set(one.version, (await client.models.link(model, body)).version);
  }
  if (numbers.size === 0) return;
  const here = await client.models.read(model);
  if (here.description === "" && description !== "")
    await client.models.describe(model, description);
  for (const { alias, version } of aliases) {
    const number = numbers.get(version);
    if (number === undefined) continue;
    try {
      await client.models.setAlias(model, alias, number, { expected: null });
    } catch (error) {
      // It stands here already, and stays.
      if (!hasCode(error, "conflict")) throw error;
    }
  }
}

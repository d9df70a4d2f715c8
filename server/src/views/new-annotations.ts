import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import { addAnnotations } from "../experiments/query-annotations.ts";
import { isObject } from "../experiments/logged/place.ts";
import type { ReplyText } from "../ground/reply-text.ts";

export interface ReadNewAnnotations {
  organizationId: string;
  experimentId: string;
  /** Number of the last annotation seen; 0 for none. */
  after: number;
  /** Leaves out those of media, texts and histograms, which charts show by their steps. */
  withoutLogged: boolean;
}

/** `views.newAnnotations`: newest first, and the number up to which they are complete. */
export async function readNewAnnotations(
  reader: Reader,
  { organizationId, experimentId, after, withoutLogged }: ReadNewAnnotations,
  text: ReplyText,
): Promise<void> {
  const id = await requireExperiment(reader, organizationId, { experimentId });
  const last = await reader.get<{ number: number }>(
    "SELECT coalesce(max(number), 0) AS number FROM annotation WHERE experiment = $1",
    id,
  );
  await text.add(`{"next":"${last?.number ?? 0}",`);
  const wanted = { experimentId: id, above: after, withoutLogged };
  await addAnnotations(reader, wanted, text, withoutBins);
  await text.add("}");
}

/** Leaves out the bins of a histogram, which are most of its meta: they are read by step. */
function withoutBins(metaText: string): string {
  if (!metaText.includes('"histogram":{')) return metaText;
  const meta = JSON.parse(metaText) as Record<string, unknown>;
  if (meta.kind !== "media" || !isObject(meta._media)) return metaText;
  const { histogram: _, ...media } = meta._media;
  return JSON.stringify({ ...meta, _media: media });
}

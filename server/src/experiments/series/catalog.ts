import type { RequestData } from "@lossless/protocol";
import { compareBytes } from "../../ground/byte-order.ts";
import type { Reader } from "../../database/database.ts";
import { experimentNotFound, findExperiment } from "../identity.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import { readPartitions } from "./partitions.ts";

export interface QueryCatalog {
  organizationId: string;
  data: RequestData<"svc.v2.query.catalog">;
}

/** `query.catalog`: unknown slugs are errors, unknown or foreign ids have no series (M57, M60). */
export async function queryCatalog(
  reader: Reader,
  { organizationId, data }: QueryCatalog,
  text: ReplyText,
): Promise<void> {
  const found = await findExperiment(reader, organizationId, data);
  if (found === undefined && data.experimentId === undefined) throw experimentNotFound(data);
  const series = new Map<string, Values>();
  if (found !== undefined) await readSeries(reader, found, series, text);
  await text.add(`{"experimentId":${JSON.stringify(found ?? data.experimentId)},"series":[`);
  let separator = "";
  for (const [name, values] of byName(series)) {
    await text.add(`${separator}{"seriesName":${JSON.stringify(name)},"metadata":`);
    await addMetadata(text, values);
    await text.add("}");
    separator = ",";
  }
  await text.add("]}");
}

type Values = Map<string, Set<string>>;

/**
 * Memory of an entry besides its text: short ones must not be many more than a reply may have
 * bytes.
 */
const entryBytes = 24;

/** Stops as soon as it is known that the reply would be too large. */
async function readSeries(
  reader: Reader,
  experimentId: string,
  series: Map<string, Values>,
  text: ReplyText,
): Promise<void> {
  let sizeBytes = 0;
  const count = (word: string) => text.require((sizeBytes += entryBytes + word.length));
  for await (const rows of readPartitions(reader, experimentId)) {
    for (const { name, meta } of rows) {
      let values = series.get(name);
      if (values === undefined) {
        series.set(name, (values = new Map()));
        count(name);
      }
      for (const [key, value] of Object.entries(JSON.parse(meta) as Record<string, string>)) {
        let known = values.get(key);
        if (known === undefined) {
          values.set(key, (known = new Set()));
          count(key);
        }
        if (known.has(value)) continue;
        known.add(value);
        count(value);
      }
    }
  }
}

async function addMetadata(text: ReplyText, values: Values): Promise<void> {
  let separator = "{";
  for (const [key, set] of byName(values)) {
    await text.add(`${separator}${JSON.stringify(key)}:`);
    await addArray(text, [...set].sort(compareBytes), (value) => JSON.stringify(value));
    separator = ",";
  }
  await text.add(separator === "{" ? "{}" : "}");
}

function byName<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([left], [right]) => compareBytes(left, right));
}

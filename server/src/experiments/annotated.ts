import type { Reader } from "../database/database.ts";
import { annotationsOf } from "./annotation-walk.ts";
import { subjectOf } from "./lineage/subject.ts";
import { usedVersionOf } from "./lineage/used-version.ts";
import { kindNumber, placeOfMeta } from "./logged/place.ts";

/** Uses and logged things of which the annotations of an experiment tell. */
export interface Annotated {
  /** Subjects and roles of used versions, as JSON. */
  uses: Set<string>;
  /** The number of annotations about a kind and name, as JSON. */
  logged: Map<string, number>;
}

/** Walks through all annotations of an experiment. For `lossless verify`. */
export async function readAnnotated(reader: Reader, experimentId: string): Promise<Annotated> {
  const uses = new Set<string>();
  const logged = new Map<string, number>();
  for await (const { meta } of annotationsOf(reader, experimentId)) {
    const used = usedVersionOf(meta);
    if (used !== undefined) uses.add(JSON.stringify([subjectOf(used), used.role]));
    const place = placeOfMeta(meta);
    if (place === undefined) continue;
    const key = JSON.stringify([kindNumber(place.kind), place.name]);
    logged.set(key, (logged.get(key) ?? 0) + 1);
  }
  return { uses, logged };
}

import type { ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Mark } from "../../chart/lane/marks.ts";
import type { XAxis } from "../../chart/view.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import { type CountedAnchors, useAnchors } from "../experiment/anchors.ts";
import { useAnnotations } from "../experiment/annotations.ts";
import { marksOf } from "../experiment/marks.ts";
import { useAttributes } from "../experiment/use-attributes.ts";
import { useVersions } from "../experiment/versions.ts";
import type { ComparedExperiment } from "./use-compared.ts";

/** Marks of the reference experiment only: those of all would overlap, and take a request each. */
export function useMarks(
  service: Service,
  reference: ComparedExperiment,
  seriesName: string | undefined,
  axis: XAxis["kind"],
): { marks: readonly Mark[]; anchors: CountedAnchors } {
  const marks = useOwnMarks(service, reference);
  return { marks, anchors: useAnchors(service, reference.experimentId, seriesName, marks, axis) };
}

/** The same, without the choice of a series. */
export function useOwnMarks(service: Service, reference: ComparedExperiment): readonly Mark[] {
  const { experimentId, revision, updatedAtMs } = reference;
  const record = useRecord(service, experimentId, updatedAtMs);
  const { found } = useAnnotations(service, experimentId, revision);
  const written = useVersions(service, experimentId, found?.annotations);
  const training = useAttributes(service, experimentId, revision).found;
  return useMemo(() => {
    if (record?.experimentId !== experimentId) return [];
    const own = marksOf(record, found?.annotations ?? [], written?.versions ?? [], training);
    return namedMarks(reference, own);
  }, [record, found, written, training, experimentId]);
}

/** Marks with the name of their experiment. */
export function namedMarks(
  { name, slug }: Pick<ComparedExperiment, "name" | "slug">,
  marks: readonly Mark[],
): Mark[] {
  return marks.map((mark) => ({ ...mark, words: `${name ?? slug}: ${mark.words}` }));
}

function useRecord(service: Service, experimentId: string, updatedAtMs: number) {
  const [record, setRecord] = useState<ExperimentRecord>();
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () => {
      const found = await service.client.experiment({ experimentId }, stopped.signal);
      setRecord(found);
    };
    // Without it charts lack the beginning and the end.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, updatedAtMs]);
  return record;
}

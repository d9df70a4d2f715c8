import type { ExperimentRecord } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Anchors, Mark } from "../../chart/lane-marks.ts";
import type { XAxis } from "../../chart/view.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";
import { useAnchors } from "../experiment/anchors.ts";
import { useAnnotations } from "../experiment/annotations.ts";
import { marksOf } from "../experiment/marks.ts";
import { useVersions } from "../experiment/versions.ts";
import type { ComparedExperiment } from "./use-compared.ts";

/**
 * What happened in the reference experiment: marks of all would stand in each other's way, and take
 * a request each.
 */
export function useMarks(
  service: Service,
  reference: ComparedExperiment,
  seriesName: string | undefined,
  axis: XAxis["kind"],
): { marks: readonly Mark[]; anchors: Anchors } {
  const { experimentId, revision, updatedAtMs, slug, name } = reference;
  const record = useRecord(service, experimentId, updatedAtMs);
  const { found } = useAnnotations(service, experimentId, revision);
  const written = useVersions(service, experimentId, found?.annotations);
  const marks = useMemo(() => {
    if (record?.experimentId !== experimentId) return [];
    return marksOf(record, found?.annotations ?? [], written?.versions ?? []).map((mark) => ({
      ...mark,
      words: `${name ?? slug}: ${mark.words}`,
    }));
  }, [record, found, written, experimentId]);
  return { marks, anchors: useAnchors(service, experimentId, seriesName, marks, axis) };
}

function useRecord(service: Service, experimentId: string, updatedAtMs: number) {
  const [record, setRecord] = useState<ExperimentRecord>();
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () => {
      const found = await service.client.experiment({ experimentId }, stopped.signal);
      setRecord(found);
    };
    // Without it charts have no beginning and no end.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, updatedAtMs]);
  return record;
}

import type { Annotation, ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/**
 * The versions written by an experiment; undefined during the first read. Our clients annotate what
 * they save, so annotations announce new versions.
 */
export function useVersions(
  service: Service,
  experimentId: string,
  annotations: readonly Annotation[] | undefined,
): ExperimentArtifactsReply | undefined {
  const [written, setWritten] = useState<ExperimentArtifactsReply>();
  const noted = annotations?.filter(({ meta }) => meta["kind"] === "artifact");
  const changed = `${noted?.length} ${noted?.[0]?.annotationId}`;
  useEffect(() => {
    const stopped = new AbortController();
    const read = async () =>
      setWritten(await service.client.views.experimentArtifacts(experimentId, stopped.signal));
    // Without them charts lack the diamonds.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, changed]);
  return written;
}

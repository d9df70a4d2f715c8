import type { Annotation, ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/**
 * The versions that an experiment wrote; undefined while they are read for the first time. Our
 * clients annotate what they save, so annotations say when there is another one.
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
    // Without them charts have no diamonds.
    void persistently(read, stopped.signal);
    return () => stopped.abort();
  }, [service, experimentId, changed]);
  return written;
}

import type { Annotation, ExperimentArtifactsReply } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { pause } from "../../parts/pause.ts";
import { persistently } from "../../parts/persistently.ts";
import type { Service } from "../../signed-in.ts";

/** Milliseconds between looks at uploads that are under way. */
const uploadingMs = 5_000;

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
  const noted = annotations?.filter(({ meta }) => meta["kind"] === "artifact") ?? [];
  const changed = `${noted.length} ${noted[0]?.annotationId}`;
  useEffect(() => {
    const stopped = new AbortController();
    const read = (signal: AbortSignal) =>
      service.client.views.experimentArtifacts(experimentId, signal);
    const follow = async () => {
      while (!stopped.signal.aborted) {
        // Without them charts lack the diamonds.
        const found = await persistently(read, stopped.signal);
        if (found === undefined) return;
        setWritten(found);
        // An upload that ends announces nothing.
        if (found.uploads.length === 0) return;
        do await pause(uploadingMs, stopped.signal);
        while (document.hidden && !stopped.signal.aborted);
      }
    };
    void follow();
    return () => stopped.abort();
  }, [service, experimentId, changed]);
  return written;
}

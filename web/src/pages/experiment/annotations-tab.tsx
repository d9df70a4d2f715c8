import { countText, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { useAnnotations } from "./annotations.ts";

interface Props {
  id: string;
  revision: number;
  service: Service;
}

const annotationsShown = 1_000;

export function AnnotationsTab({ id, revision, service }: Props) {
  const { found, problem } = useAnnotations(service, id, revision);
  if (found === undefined) return <p class="waiting">{problem ?? "…"}</p>;
  if (found.annotations.length === 0) return <p class="waiting">No annotations.</p>;
  return (
    <>
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {(found.truncated || found.annotations.length > annotationsShown) && (
        <p class="count">
          The newest {countText(Math.min(annotationsShown, found.annotations.length))} of{" "}
          {found.truncated ? "more than " : ""}
          {countText(found.annotations.length)}.
        </p>
      )}
      <ol class="annotations">
        {found.annotations
          .slice(0, annotationsShown)
          .map(({ annotationId, annotation, meta, createdAtMs }) => (
            <li key={annotationId}>
              <time>{timeText(createdAtMs)}</time>
              <span>{annotation}</span>
              {Object.keys(meta).length > 0 && <code>{JSON.stringify(meta)}</code>}
            </li>
          ))}
      </ol>
    </>
  );
}

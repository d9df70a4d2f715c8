import type { Annotation } from "@lossless/client";
import { useState } from "preact/hooks";
import { countText, timeText } from "../../parts/words.ts";
import type { Annotations } from "./annotations.ts";

/** Annotations drawn at once; more would take long. */
const shownAtOnce = 1_000;

export function AnnotationsTab({ found, problem }: Annotations) {
  const [shown, setShown] = useState(shownAtOnce);
  if (found === undefined) return <p class="waiting">{problem ?? "…"}</p>;
  const rest = found.annotations.length - shown;
  return (
    <>
      {found.annotations.length === 0 && (
        <p class="waiting">
          No annotations yet. To write one, use “annotate…”, or press <kbd>a</kbd> in a chart to
          annotate the step under the cursor.
        </p>
      )}
      {problem !== undefined && <p role="alert">not up to date: {problem}</p>}
      {(found.truncated || rest > 0) && (
        <p class="count">
          Showing the newest {countText(Math.min(shown, found.annotations.length))} of{" "}
          {found.truncated ? "more than " : ""}
          {countText(found.annotations.length)}.
        </p>
      )}
      <ol class="annotations">
        {found.annotations
          .slice(0, shown)
          .map(({ annotationId, annotation, meta, createdAtMs }) => (
            <li key={annotationId}>
              <AnnotationLine {...{ annotation, meta, createdAtMs }} />
            </li>
          ))}
      </ol>
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + shownAtOnce)}>
          show {countText(Math.min(rest, shownAtOnce))} older
        </button>
      )}
    </>
  );
}

function AnnotationLine({
  annotation,
  meta: { step: own, author, ...rest },
  createdAtMs,
}: Pick<Annotation, "annotation" | "meta" | "createdAtMs">) {
  // Programs write arbitrary values there; those of media have their step beside their file.
  const step = [own, (rest["_media"] as { step?: unknown } | null | undefined)?.step].find(
    (each) => typeof each === "number",
  );
  const isAuthor = typeof author === "string";
  const others = {
    ...rest,
    ...(typeof own !== "number" && { step: own }),
    ...(!isAuthor && { author }),
  };
  const left = JSON.stringify(others);
  // Words say what was logged; the rest says where its file is, or which series it belongs to.
  const isLogged = rest["_media"] !== undefined || rest["kind"] !== undefined;
  return (
    <>
      <time>{timeText(createdAtMs)}</time>
      {step !== undefined && <span class="at">step {countText(step)}</span>}
      <span class="words">{withoutStep(annotation, step)}</span>
      {left !== "{}" && !isLogged && <code>{left}</code>}
      {left !== "{}" && isLogged && (
        <details>
          <summary>meta</summary>
          <code>{left}</code>
        </details>
      )}
      {isAuthor && <span class="by">{author}</span>}
    </>
  );
}

/** The words of an annotation, whose step stands before them. */
function withoutStep(words: string, step: number | undefined): string {
  const end = ` at step ${step}`;
  return step !== undefined && words.endsWith(end) ? words.slice(0, -end.length) : words;
}

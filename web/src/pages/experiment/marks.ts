import type {
  Annotation,
  AttributesResultData,
  ExperimentArtifactsReply,
  ExperimentRecord,
} from "@lossless/client";
import type { Mark } from "../../chart/lane/marks.ts";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { pullCommand } from "../../parts/shell-word.ts";
import { countText, timeText } from "../../parts/words.ts";

type ListedVersion = ExperimentArtifactsReply["versions"][number];
/** A version known only from an annotation. */
type MarkedVersion = Pick<ListedVersion, "artifact" | "version" | "step" | "committedAtMs"> &
  Partial<ListedVersion>;

/** When the training began and ended; those of the record say when the service was told. */
export type TrainingTime = Pick<AttributesResultData, "beganAtMs" | "endedAtMs">;

/** All marks of an experiment on the axes of its charts. */
export function marksOf(
  record: ExperimentRecord,
  annotations: readonly Annotation[],
  versions: readonly MarkedVersion[],
  training?: TrainingTime,
): Mark[] {
  const listed = new Set(versions.map(({ artifact, version }) => identity(artifact, version)));
  const noted = annotations.filter(
    ({ meta: { kind, artifact, version } }) =>
      kind !== "artifact" || !listed.has(identity(artifact, version)),
  );
  return [
    ...lifecycleOf(record, training),
    // Files of media have signs of their own.
    ...versions.filter(({ artifact }) => !isOfMedia(record, artifact)).map(versionMark),
    ...noted.map(annotationMark),
  ];
}

/** Whether it is an artifact of a process of the run, into which our clients put logged files. */
function isOfMedia({ slug }: ExperimentRecord, artifact: string): boolean {
  return artifact === `${slug}/media` || artifact.startsWith(`${slug}/media-`);
}

const identity = (...parts: unknown[]) => JSON.stringify(parts);

/** Milliseconds after the opening from which a start counts as that of a resumed run. */
const resumedAfterMs = 60_000;

/**
 * Marks of the lifecycle. The first start is placed at the first point, as it was reported later,
 * and the end where the training ended: the service may have got all of it long after.
 */
function lifecycleOf(record: ExperimentRecord, training?: TrainingTime): Mark[] {
  const { createdAtMs, startedAtMs, doneAtMs, errorAtMs, status, error } = record;
  const { beganAtMs = Infinity, endedAtMs = null } = training ?? {};
  const marks: Mark[] = [];
  if (startedAtMs !== null) {
    // A start after the end of the training is that of its transfer.
    const isFirst =
      startedAtMs - createdAtMs < resumedAfterMs || startedAtMs > (endedAtMs ?? Infinity);
    const timeMs = isFirst ? Math.min(startedAtMs, beganAtMs) : startedAtMs;
    marks.push({ kind: "start", words: `started ${timeText(timeMs)}`, timeMs });
  }
  if (doneAtMs !== null) {
    const timeMs = (status === "done" ? endedAtMs : null) ?? doneAtMs;
    marks.push({ kind: "done", words: `done ${timeText(timeMs)}`, timeMs });
  }
  if (errorAtMs !== null) {
    const timeMs = (status === "error" ? endedAtMs : null) ?? errorAtMs;
    const words = `error ${timeText(timeMs)}${error === null ? "" : `: ${shortened(error)}`}`;
    marks.push({ kind: "error", words, timeMs });
  }
  return marks;
}

function versionMark({ artifact, version, step, committedAtMs, ...rest }: MarkedVersion): Mark {
  const at = step === null ? "" : ` at step ${countText(step)}`;
  return {
    kind: "version",
    words: `version ${version} of ${artifact}${at}. Click to show it and copy the command that pulls it.`,
    step: step ?? undefined,
    timeMs: committedAtMs,
    saved: {
      artifact,
      version,
      command: pullCommand(artifact, version),
      address: artifactAddress(artifact, { version }),
      ...rest,
    },
  };
}

/**
 * The mark of an annotation: those by our clients have a place in the meta, those by people a time.
 */
function annotationMark({ annotation, meta, createdAtMs }: Annotation): Mark {
  const { kind, metricName, step, timestampMs, count, artifact, version } = meta;
  const place = {
    step: [step, mediaStep(meta)].find((one) => typeof one === "number"),
    timeMs: typeof timestampMs === "number" ? timestampMs : createdAtMs,
  };
  if (kind === "nonfinite" && typeof metricName === "string") {
    const lasts = typeof count === "number" ? { isLasting: true } : {};
    return { kind, words: annotation, seriesName: metricName, ...place, ...lasts };
  }
  if (kind === "artifact" && typeof artifact === "string" && typeof version === "string")
    return {
      ...versionMark({ artifact, version, step: null, committedAtMs: createdAtMs }),
      ...place,
    };
  const isMedia = kind === "media" || kind === "text";
  return { kind: isMedia ? "media" : "annotation", words: shortened(annotation), ...place };
}

/** The step of logged media, from our clients' description of them. */
function mediaStep({ _media: media }: Annotation["meta"]): unknown {
  return typeof media === "object" && media !== null && "step" in media ? media.step : undefined;
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

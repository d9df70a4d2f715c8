import type { ExperimentRecord } from "@lossless/client";
import type { Mark } from "../../chart/lane/marks.ts";
import { MediaPart } from "../../media/media-part.tsx";
import type { Media } from "../../media/use-media.ts";
import type { PageProps } from "../../page.ts";
import { countText } from "../../parts/words.ts";

interface Props extends PageProps {
  record: ExperimentRecord;
  marks: readonly Mark[];
  media: Media;
}

/** Shown in place of charts; media need no points. */
export function NoPoints({ record, marks, media, ...page }: Props) {
  return (
    <>
      <Told record={record} marks={marks} />
      <MediaPart {...page} {...media} />
    </>
  );
}

/** Non-finite values, which are not points, are mentioned here. */
function Told({ record, marks }: Pick<Props, "record" | "marks">) {
  const none =
    record.status === "running" ? "No points are recorded yet" : "No points were recorded";
  const notFinite = [...firstSteps(marks)].sort(([one], [other]) => (one < other ? -1 : 1));
  if (notFinite.length === 0) return <p class="waiting">{none}.</p>;
  return (
    <section class="waiting">
      <p>{none}: no value was finite. The annotations list each of them.</p>
      {notFinite.map(([name, step]) => (
        <p key={name}>
          ▲ <bdi>{name}</bdi>
          {step === Infinity ? "" : ` from step ${countText(step)} on`}
        </p>
      ))}
    </section>
  );
}

/** The first step with a non-finite value, by name of series. */
function firstSteps(marks: readonly Mark[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { kind, seriesName, step = Infinity } of marks)
    if (kind === "nonfinite" && seriesName !== undefined)
      first.set(seriesName, Math.min(first.get(seriesName) ?? Infinity, step));
  return first;
}

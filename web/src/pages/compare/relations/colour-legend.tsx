import { useRef } from "preact/hooks";
import { legendOf, shadeOf, type ColourScale } from "./colour-scale.ts";
import { titleOf } from "./plotted.ts";
import { useInks } from "./use-inks.ts";

/** Steps of the scale as drawn: between them no eye sees a difference. */
const steps = 24;

/** The meaning of the colours: a scale with its ends, or the categories. */
export function ColourLegend({ colours }: { colours: ColourScale }) {
  const element = useRef<HTMLParagraphElement>(null);
  const inks = useInks(element);
  const { axis, isLeastBest } = colours;
  const shown = inks === undefined ? [] : legendOf(colours, inks);
  const isScale = axis.kind !== "category";
  const bestAt = isLeastBest === undefined ? undefined : isLeastBest ? 0 : 1;
  return (
    <p class="colour-legend" ref={element}>
      <span>
        {titleOf(axis.field)}
        {axis.isLog && " (log)"}
      </span>
      {shown.map(({ text, colour }, at) => (
        <span key={text}>
          {isScale && at === 1 && inks !== undefined && (
            <svg
              class="scale"
              viewBox={`0 0 ${steps} 1`}
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              {Array.from({ length: steps }, (_, step) => {
                const share = step / (steps - 1);
                const fill = shadeOf(isLeastBest ? 1 - share : share, inks.isDark);
                return <rect key={step} x={step} width={1.02} height={1} fill={fill} />;
              })}
            </svg>
          )}
          {!isScale && (
            <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
              <circle cx="5" cy="5" r="5" fill={colour} />
            </svg>
          )}
          <bdi>{text}</bdi>
          {isScale && at === bestAt && " (best)"}
        </span>
      ))}
    </p>
  );
}

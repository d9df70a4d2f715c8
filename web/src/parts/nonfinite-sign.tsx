import { countText } from "./words.ts";

/** A sign beside a metric's value: some of its values are not finite. */
export function NonfiniteSign({ count = 0 }: { count: number | undefined }) {
  if (count === 0) return null;
  const told =
    count === 1 ? "one value is not finite" : `${countText(count)} values are not finite`;
  return (
    <span class="not-finite" role="img" aria-label={told} title={told}>
      ▲
    </span>
  );
}

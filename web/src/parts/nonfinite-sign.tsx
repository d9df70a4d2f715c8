import { countText } from "./words.ts";

/** Beside a number of a metric: some of its values are none. */
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

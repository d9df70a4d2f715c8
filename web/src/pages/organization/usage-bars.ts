/** A part of a day's bar, from the bottom up. */
export interface Share {
  /** Index in the list of names; decides the colour. */
  series: number;
  value: number;
}

export interface DayBar {
  day: string;
  shares: readonly Share[];
  total: number;
}

/** A value of one name on one day. */
export interface DayValue {
  day: string;
  of: string | null;
  value: number;
}

/** A bar for every day from the first to the last; days without values have height 0. */
export function dayBars(
  firstDay: string,
  lastDay: string,
  names: readonly (string | null)[],
  values: readonly DayValue[],
): DayBar[] {
  const byDay = Map.groupBy(values, ({ day }) => day);
  return daysBetween(firstDay, lastDay).map((day) => {
    const shares = (byDay.get(day) ?? [])
      .map(({ of, value }) => ({ series: names.indexOf(of), value }))
      .filter(({ series, value }) => series >= 0 && value > 0)
      .sort((one, other) => one.series - other.series);
    return { day, shares, total: shares.reduce((sum, { value }) => sum + value, 0) };
  });
}

/** Stacks the shares of a bar. */
export function stacked(shares: readonly Share[]): { series: number; from: number; to: number }[] {
  let top = 0;
  return shares.map(({ series, value }) => ({ series, from: top, to: (top += value) }));
}

export function daysBetween(firstDay: string, lastDay: string): string[] {
  const days: string[] = [];
  const last = Date.parse(lastDay);
  for (let ms = Date.parse(firstDay); ms <= last; ms += 86_400_000)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}

/** Round values from 0 to at least `most`, four to six including 0. */
export function ticksTo(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
  const ticks: number[] = [];
  for (let at = 0; ; at++) {
    const tick = Number((at * step).toPrecision(12));
    ticks.push(tick);
    if (tick >= most) return ticks;
  }
}

/** Indices of labelled days: as many as there is room for, including the last. */
export function namedDays(days: readonly string[], roomFor: number): number[] {
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, roomFor)));
  const named: number[] = [];
  for (let at = days.length - 1; at >= 0; at -= every) named.unshift(at);
  return named;
}

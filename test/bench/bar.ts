/** A bar: a figure against a floor of the same run, or a figure alone. */
export interface Bar {
  name: string;
  figure: string;
  /** The figure that this one is divided by. */
  floor?: string;
  must: number;
  good: number;
  unit?: string;
  /** Small is good. */
  isUpperBound?: boolean;
  /** A part of the figure that is not ours; where a bar is below it, must is twice it, good 1.5. */
  share?: string;
}

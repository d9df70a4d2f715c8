/** The plot beside which a list stands, in CSS pixels of the window. */
export interface PlotBox {
  /** The plot without its axes. */
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The upper edge of the chart, and the lower one of its axis. */
  head: number;
  foot: number;
  /** The left edge of all charts: beside them a list of experiments stands. */
  start: number;
  window: { width: number; height: number };
}

/** The place of a list, in CSS pixels of the window, and how many rows it has room for. */
export interface NearPlace {
  left: number;
  top: number;
  width: number;
  rows: number;
}

/** Height of a row, in CSS pixels. */
const rowHeight = 20;
/** Height of a list besides its rows: two lines of counts, and borders. */
const besideRows = 2 * rowHeight + 2;
/** Distances from the edges of the window and of the plot, and from the pointer. */
const [edge, gap] = [8, 16];
/** Distance from the pointer's height: a line up to 24 pixels away is raised, with a dot. */
const gapInHeight = 30;
/** Rows above or below a chart: fewer tell too little, and more cover too much. */
const [rowsLeast, rowsMost] = [3, 12];

/** Rows of the largest list that a plot may have. */
export function rowsAtMost(plot: PlotBox): number {
  return Math.max(rowsMost, rowsIn(plot.bottom - plot.top));
}

/**
 * Places a list, which may lie over what surrounds the chart, but not over the place that is read,
 * and nowhere beyond the window. It takes the first of the widths that has room beside every place
 * of the plot, over charts or else over what is beside them. At one place at most it changes sides,
 * and nowhere else it moves. On a narrow screen it is above or below the chart, or in the other
 * half of a plot that fills the window.
 */
export function nearPlace(
  plot: PlotBox,
  pointer: { left: number; top: number },
  widths: readonly number[],
): NearPlace {
  const { window } = plot;
  for (const start of [plot.start, 0])
    for (const wide of widths) {
      const turn = turnOf(plot, start, wide);
      if (turn !== undefined) return placeBeside(plot, pointer.left, { start, width: wide, turn });
    }
  const most = window.width - 2 * edge;
  const width = widths.find((one) => one <= most) ?? most;
  const left = between(plot.left, edge, window.width - edge - width);
  const [above, below] = [plot.head, window.height - plot.foot].map((room) =>
    Math.min(rowsMost, rowsIn(room - 2 * edge)),
  );
  if (Math.max(above, below) < rowsLeast) return placeInHalf(plot, pointer.top, { left, width });
  const rows = Math.max(above, below);
  const top = above >= below ? plot.head - edge - heightOf(rows) : plot.foot + edge;
  return { left, width, rows, top };
}

/** The place left of which a list is at its right, and else at its left; undefined: none is. */
function turnOf(plot: PlotBox, start: number, width: number): number | undefined {
  const room = width + edge + gap;
  const [least, most] = [start + room, plot.window.width - room];
  const turn = between((plot.left + plot.right) / 2, least, most);
  const end = plot.right + 1;
  if (least <= most) return between(turn, plot.left, end);
  if (end <= most) return end;
  return plot.left >= least ? plot.left : undefined;
}

interface Beside {
  start: number;
  width: number;
  turn: number;
}

function placeBeside(plot: PlotBox, pointer: number, { start, width, turn }: Beside): NearPlace {
  const { window } = plot;
  const rightMost = Math.min(plot.right, window.width) - edge - width;
  const leftMost = Math.max(plot.left, start) + edge;
  const left =
    pointer < turn ? Math.max(turn + gap, rightMost) : Math.min(turn - gap - width, leftMost);
  const rows = Math.max(1, rowsIn(plot.bottom - plot.top));
  const top = between(plot.top, edge, window.height - edge - heightOf(rows));
  return { left, width, rows, top };
}

function placeInHalf(
  plot: PlotBox,
  pointer: number,
  across: Pick<NearPlace, "left" | "width">,
): NearPlace {
  const middle = (plot.top + plot.bottom) / 2;
  const rows = Math.max(1, rowsIn((plot.bottom - plot.top) / 2 - gapInHeight));
  const isAbove = pointer > middle;
  const top = isAbove ? middle - gapInHeight - heightOf(rows) : middle + gapInHeight;
  return { ...across, rows, top };
}

function rowsIn(height: number): number {
  return Math.floor((height - besideRows) / rowHeight);
}

function heightOf(rows: number): number {
  return rows * rowHeight + besideRows;
}

function between(wanted: number, least: number, most: number): number {
  return Math.max(least, Math.min(wanted, most));
}

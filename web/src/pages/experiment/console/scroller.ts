import type { ConsolePlace } from "./console-lines.ts";

/** Browsers have no element of more pixels than some tens of millions. */
const heightMax = 8_000_000;
/** Pixels from the end at which a person is at the end. */
const endPixels = 4;
/** Drawn lines beyond the screen, below which others are drawn. */
const spareLines = 30;
/** Screens of room below lines that are not the last, while more are read. */
const roomScreens = 10;

/** The lines that are drawn at this moment. */
export interface Drawn {
  /** Numbers of the drawn lines, in order. */
  lines: readonly number[];
  isFirst: boolean;
  isLast: boolean;
  total: number;
  rowPixels: number;
  isAlone: boolean;
}

/** A line, and the pixels from its top to the top of the screen, which is scrolled to there. */
interface Anchor {
  line: number;
  offset: number;
  scrollTop: number;
}

/** The scrolling element, what gives it its height, and the drawn lines in it. */
interface Elements {
  container: HTMLElement;
  content: HTMLElement;
  block: HTMLElement;
}

/**
 * Scrolls through more lines than an element can be high, of which some may be wrapped or left out.
 * The scrollbar covers all lines; those near the screen are drawn, and stay where they are on the
 * screen whatever is drawn above them.
 */
export class Scroller {
  #elements: Elements | undefined;
  #drawn: Drawn = {
    lines: [],
    isFirst: false,
    isLast: false,
    total: 0,
    rowPixels: 1,
    isAlone: true,
  };
  #anchor: Anchor | "end" = "end";
  /** Whether the place of the drawn lines within all is to be found anew. */
  #isJump = true;
  #top = 0;
  /** Where this object has scrolled to: that event says nothing about a person. */
  #scrolledTo = 0;
  readonly #onPlace: (place: ConsolePlace, isRedrawn: boolean) => void;

  /** `onPlace`: the line at the top of the screen, and whether lines around it are to be drawn. */
  constructor(onPlace: (place: ConsolePlace, isRedrawn: boolean) => void) {
    this.#onPlace = onPlace;
  }

  attach(elements: Elements): () => void {
    this.#elements = elements;
    const { container } = elements;
    const scrolled = () => this.#scrolled();
    const sized = new ResizeObserver(() => this.arrange(this.#drawn));
    container.addEventListener("scroll", scrolled, { passive: true });
    sized.observe(container);
    return () => {
      container.removeEventListener("scroll", scrolled);
      sized.disconnect();
      this.#elements = undefined;
    };
  }

  /** The next arrangement shows this place; a line stands below a third of the screen. */
  goTo(place: ConsolePlace, isAtTop = false): void {
    const height = this.#elements?.container.clientHeight ?? 0;
    const offset = isAtTop ? 0 : -Math.floor(height / 3);
    this.#anchor = place === "end" ? "end" : { line: place, offset, scrollTop: 0 };
    this.#isJump = true;
  }

  /** Follows the end no longer. */
  stay(): void {
    if (this.#elements === undefined || this.#anchor !== "end") return;
    const { scrollTop, clientHeight } = this.#elements.container;
    this.#inside(scrollTop, clientHeight);
  }

  /** Whether a line is on the screen. */
  shows(line: number): boolean {
    const row = this.#rowOf(line);
    if (row === undefined || this.#drawn.lines[this.#indexOf(line)] !== line) return false;
    const { scrollTop, clientHeight } = this.#elements!.container;
    const top = this.#top + row.offsetTop - scrollTop;
    return top >= 0 && top + row.offsetHeight <= clientHeight;
  }

  /** Puts the drawn lines in their place; called after each drawing. */
  arrange(drawn: Drawn): void {
    this.#drawn = drawn;
    if (this.#elements === undefined) return;
    const { container, block } = this.#elements;
    const nominal = this.#nominal();
    const height = block.offsetHeight;
    if (this.#anchor === "end") {
      const top =
        drawn.isFirst || drawn.lines.length === 0 ? 0 : Math.max(nominal - height, height);
      this.#place(top, top + height);
      this.#scrollTo(top + height);
      return;
    }
    const row = this.#rowOf(this.#anchor.line);
    if (row === undefined) return this.#place(this.#top, Math.max(nominal, this.#top));
    const wanted = row.offsetTop + this.#anchor.offset;
    const before = this.#anchor.scrollTop - wanted;
    const top = this.#topFor(before);
    const room = drawn.isLast ? 0 : roomScreens * container.clientHeight;
    const end = top + height + room;
    this.#place(top, drawn.isLast ? end : Math.max(nominal, end));
    if (this.#isJump) this.#scrollTo(top + wanted);
    // By as much as the lines move: a person may be scrolling at this moment.
    else if (top !== before) this.#scrollTo(container.scrollTop + top - before);
    this.#anchor.scrollTop = top + wanted;
    this.#isJump = false;
    const isAll = drawn.isFirst && drawn.isLast && height <= container.clientHeight;
    // Beside others it would take them along.
    if (isAll && drawn.isAlone) this.#toEnd(false);
  }

  /** Where the drawn lines begin: where they would, unless that is no place for them. */
  #topFor(top: number): number {
    const { lines, isFirst, total } = this.#drawn;
    if (isFirst) return 0;
    if (!this.#isJump && top >= 0) return top;
    return total === 0 ? 0 : Math.round((lines[0] / total) * this.#nominal());
  }

  #scrolled(): void {
    if (this.#elements === undefined) return;
    const { scrollTop, clientHeight, scrollHeight } = this.#elements.container;
    if (Math.abs(scrollTop - this.#scrolledTo) < 1) return;
    this.#scrolledTo = NaN;
    if (scrollTop + clientHeight >= scrollHeight - endPixels) {
      return this.#toEnd(!this.#drawn.isLast);
    }
    const height = this.#elements.block.offsetHeight;
    const isOutside = scrollTop + clientHeight <= this.#top || scrollTop >= this.#top + height;
    if (isOutside) {
      const { total, rowPixels } = this.#drawn;
      const place = Math.min(1, scrollTop / Math.max(1, this.#nominal())) * total;
      const line = Math.floor(place);
      this.#anchor = { line, offset: (place - line) * rowPixels, scrollTop };
      return this.#onPlace(line, true);
    }
    this.#inside(scrollTop, clientHeight);
  }

  #toEnd(isRedrawn: boolean): void {
    this.#anchor = "end";
    this.#onPlace("end", isRedrawn);
  }

  /** Follows a person within the drawn lines; near their ends others are to be drawn. */
  #inside(scrollTop: number, clientHeight: number): void {
    const { lines, isFirst, isLast } = this.#drawn;
    const first = this.#indexAt(scrollTop - this.#top);
    const last = this.#indexAt(scrollTop - this.#top + clientHeight);
    const row = this.#rows()[first];
    if (row === undefined || lines[first] === undefined) return;
    const wasAtEnd = this.#anchor === "end";
    const offset = scrollTop - this.#top - row.offsetTop;
    this.#anchor = { line: lines[first], offset, scrollTop };
    const isNearEdge =
      (!isFirst && first < spareLines) || (!isLast && last > lines.length - spareLines);
    this.#onPlace(lines[first], isNearEdge || wasAtEnd);
  }

  #nominal(): number {
    const { total, rowPixels } = this.#drawn;
    return Math.min(heightMax, total * rowPixels);
  }

  #place(top: number, height: number): void {
    const { content, block } = this.#elements!;
    this.#top = top;
    block.style.transform = `translateY(${top}px)`;
    content.style.height = `${height}px`;
  }

  #scrollTo(top: number): void {
    const { container } = this.#elements!;
    container.scrollTop = top;
    this.#scrolledTo = container.scrollTop;
  }

  #rows(): readonly HTMLElement[] {
    return [...(this.#elements?.block.children ?? [])] as HTMLElement[];
  }

  /** The row of a line, or of the first one behind it, or the last one. */
  #rowOf(line: number): HTMLElement | undefined {
    const { lines } = this.#drawn;
    return this.#rows()[Math.min(this.#indexOf(line), lines.length - 1)];
  }

  #indexOf(line: number): number {
    const at = this.#drawn.lines.findIndex((each) => each >= line);
    return at < 0 ? this.#drawn.lines.length : at;
  }

  /** The row at a height, of those of the lines. */
  #indexAt(pixels: number): number {
    const rows = this.#rows();
    let low = 0;
    for (let high = this.#drawn.lines.length; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if (rows[middle].offsetTop <= pixels) low = middle;
      else high = middle;
    }
    return low;
  }
}

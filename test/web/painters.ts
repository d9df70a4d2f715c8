import { join } from "node:path";
import type { OverviewReply } from "@lossless/client";
import { build } from "esbuild";
import { tried } from "../every-case.ts";
import { checkoutRoot } from "../service.ts";

/** All points of a series, in the order of their steps. */
export interface Points {
  step: number[];
  value: number[];
  /** When they were recorded; without it none was recorded before the one ahead of it. */
  ms?: number[];
}

export interface Look {
  width: number;
  ratio: number;
  isLog?: boolean;
}

/** A picture is as many columns of pixels wide as both say. */
const everyLook: Look[] = [400, 1_280, 2_560, 3_840].flatMap((width) => [
  { width, ratio: 1 },
  { width, ratio: 2 },
]);
/** A phone's, a screen's of high resolution, and a wide one's. */
export const looks = tried(everyLook, ({ width, ratio }) =>
  ["400 at 1", "1280 at 2", "3840 at 1"].includes(`${width} at ${ratio}`),
);
const plotHeight = 200;

/** A page of any browser, which is given texts, as its types are not those of this program. */
interface Evaluating {
  evaluate<Value>(text: string): Promise<Value>;
}

/** A page with the painter of the charts, and one beside it that looks at every point. */
export class Painters {
  readonly #page: Evaluating;

  private constructor(page: Evaluating) {
    this.#page = page;
  }

  static async on(page: Evaluating): Promise<Painters> {
    await page.evaluate(await fixture("web/src/chart/paint/every-point.fixture.ts"));
    return new Painters(page);
  }

  /** From now on pictures are compared with these. */
  async take(points: Points): Promise<void> {
    await this.#page.evaluate(`globalThis.points = ${JSON.stringify(points)}; undefined`);
  }

  /** Pixels in which the reply is another picture than all points. */
  async differing(look: Look, reply: OverviewReply): Promise<number> {
    return this.#run("differingPixels", look, reply);
  }

  async differingWithoutJoins(look: Look, reply: OverviewReply): Promise<number> {
    return this.#run("differingWithoutJoins", look, reply);
  }

  /** From now on pictures of many lines are compared with these. */
  async takeLines(lines: Points[]): Promise<void> {
    await this.#page.evaluate(`globalThis.lines = ${JSON.stringify(lines)}; undefined`);
  }

  /** Pixels in which all lines of the reply are another picture than all of their points. */
  async differingLines(
    { width, ratio, isLog = false }: Look,
    { series, start, end, columns, xScale }: OverviewReply,
    raised?: number,
  ): Promise<number> {
    const picture = { width: width * ratio, height: plotHeight * ratio, isLog };
    const raster = { start, end, columns, xScale };
    const given = JSON.stringify([picture, series, raster, raised ?? null]);
    return this.#page.evaluate<number>(`fixture.differingLines(lines, ...${given})`);
  }

  #run(name: string, { width, ratio, isLog = false }: Look, reply: OverviewReply): Promise<number> {
    const picture = { width: width * ratio, height: plotHeight * ratio, isLog };
    const { start, end, columns, xScale } = reply;
    const given = JSON.stringify([picture, reply.series[0], { start, end, columns, xScale }]);
    return this.#page.evaluate<number>(`fixture.${name}(points, ...${given})`);
  }
}

/** A program for a browser as one script, whose exports the page knows as `fixture`. */
export async function fixture(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(checkoutRoot, path)],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "bundled",
  });
  return `${outputFiles[0].text}\nglobalThis.fixture = bundled; undefined`;
}

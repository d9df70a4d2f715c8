import { randomUUID } from "node:crypto";
import { event } from "../contract/callers.ts";
import { call, type HttpReply } from "../http.ts";
import type { Abuse } from "./abuse.ts";
import type { Scene } from "./scene.ts";

const testsPerQuery = 24;
const letter = "a";
const descriptionCharacters = 16_000;
const patternCharacters = 256;

/** Texts and patterns that nearly fit everywhere: what a plain search compares at every place. */
function patterns(): string[] {
  return Array.from({ length: testsPerQuery }, (_, at) => {
    const before = letter.repeat(patternCharacters - at - 1);
    return `${before}b${letter.repeat(at)}`;
  });
}

async function describedExperiments(scene: Scene): Promise<void> {
  const description = letter.repeat(descriptionCharacters);
  const opens = Array.from({ length: scene.amount(80, 1_000) }, () =>
    event("experiment.open", { slug: `described-${randomUUID()}`, description, meta: {} }),
  );
  for (let from = 0; from < opens.length; from += 50) {
    const { status, text } = await scene.post("/api/v2/events", opens.slice(from, from + 50));
    if (status !== 200) throw new Error(`the attack could not be prepared: ${text.slice(0, 300)}`);
  }
}

function expectAll(scene: Scene, replies: readonly HttpReply[], what: string, wanted = 200): void {
  const others = replies.filter(({ status }) => status !== wanted);
  const [one] = others;
  scene.expect(
    one === undefined,
    `${others.length} of ${replies.length} ${what} got ${one?.status}: ${one?.text.slice(0, 200)}`,
  );
}

/**
 * Twenty such statements at once may be too much for the processors that PostgreSQL has: there they
 * are refused after their time. A few are answered.
 */
function expectInTime(scene: Scene, replies: readonly HttpReply[], what: string): void {
  const isLate = ({ status, text }: HttpReply): boolean =>
    scene.databaseUrl !== undefined &&
    scene.size === "whole" &&
    status === 400 &&
    text.includes("and was stopped");
  const late = replies.filter(isLate);
  if (late.length > 0)
    scene.notes.push(`${late.length} of ${replies.length} ${what} were too much`);
  expectAll(
    scene,
    replies.filter((reply) => !isLate(reply)),
    what,
  );
}

function several<Result>(count: number, ask: () => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, ask));
}

/** Part V, 1: every test of a text over long ones, in the table, its counts and its names. */
export const searchedTexts: Abuse = {
  name: "tables by patterns that nearly fit",
  isTimed: true,
  async prepare(scene) {
    await describedExperiments(scene);
    const tests = patterns().map((pattern) => `description ~ ${pattern}`);
    const long = letter.repeat(patternCharacters + 1);
    return async () => {
      const tables = await several(scene.amount(4, 20), () =>
        scene.post("/api/views/v1/experiments", { query: tests.join(" or "), limit: 10 }),
      );
      expectInTime(scene, tables, "tables");
      const fields = await several(scene.amount(4, 20), () =>
        scene.post("/api/views/v1/fields", { text: patterns()[0] }),
      );
      expectAll(scene, fields, "lists of fields");
      for (const query of [`description ~ ${long}`, long]) {
        const refused = await scene.post("/api/views/v1/experiments", { query, limit: 10 });
        expectAll(scene, [refused], "patterns that are too long", 400);
      }
    };
  },
};

/** The same by MLflow's words, and with its signs. */
export const searchedRuns: Abuse = {
  name: "searches of MLflow by patterns that nearly fit",
  isTimed: true,
  async prepare(scene) {
    await describedExperiments(scene);
    const search = (filter: string) =>
      scene.post("/api/2.0/mlflow/runs/search", { experiment_ids: ["0"], filter, max_results: 10 });
    const filters = patterns().flatMap((pattern) => [
      `tags.\`mlflow.note.content\` LIKE '%${pattern}%'`,
      `tags.\`mlflow.note.content\` ILIKE '%_${pattern}_%'`,
    ]);
    return async () => {
      const replies = await Promise.all(filters.slice(0, scene.amount(8, 48)).map(search));
      expectAll(scene, replies, "searches");
      const long = letter.repeat(4_001);
      const refused = await search(`tags.\`mlflow.note.content\` LIKE '${long}'`);
      expectAll(scene, [refused], "patterns that are too long", 400);
    };
  },
};

/** Part V, 2: what is not sealed yet and came out of order, looked at from everywhere. */
export const manyPlaces: Abuse = {
  name: "charts and places of points that came out of order",
  isTimed: true,
  async prepare(scene) {
    const points = scene.amount(150_000, 250_000);
    const experimentId = await scene.recorded(points, [1, 0]);
    const places = Array.from({ length: 100 }, (_, at) => (at * points) / 100 + 0.5);
    const series = [{ experimentId, seriesName: "a" }];
    const chart = { series, xAxis: "step" };
    return async () => {
      const asked = await several(scene.amount(4, 20), () =>
        scene.post("/api/views/v1/points", { ...chart, places, pointsMax: 1_000 }),
      );
      expectAll(scene, asked, "points at places");
      const kinds = [{ kind: "ema", weight: 0.99 }, { kind: "gauss", points: 50 }, undefined];
      const overviews = kinds.flatMap((smooth) =>
        [100, 1_600].map((columns) => ({ ...chart, columns, ...(smooth && { smooth }) })),
      );
      const drawn = await Promise.all(
        overviews.map((body) => scene.post("/api/views/v1/overview", body)),
      );
      expectAll(scene, drawn, "overviews");
    };
  },
};

/** Files of everything, differences of everything, and many who wait for changes. */
export const wholeTables: Abuse = {
  name: "files, differences and waits, many at once",
  isTimed: true,
  async prepare(scene) {
    await describedExperiments(scene);
    const { baseUrl } = scene.service;
    const file = (path: string) => call(baseUrl, { path, credential: scene.key });
    const files = [
      "/api/views/v1/experiments.csv?query=",
      "/api/views/v1/experiments.csv?query=description%20~%20b&sort=description",
      "/api/views/v1/experiments.parquet",
    ];
    return async () => {
      const sent = await several(scene.amount(4, 20), () => Promise.all(files.map(file)));
      for (const { status, text } of sent.flat()) {
        const isKnown = [200, 429, 503].includes(status);
        scene.expect(isKnown, `a file got ${status}: ${text.slice(0, 200)}`);
      }
      const differences = await several(scene.amount(4, 20), () =>
        scene.post("/api/views/v1/difference", { query: "description ~ a", equalKeys: true }),
      );
      expectAll(scene, differences, "differences");
      const waits = await several(scene.amount(200, 2_000), () =>
        scene.post("/api/views/v1/changes", { experiments: [], waitMs: 1_000 }),
      );
      for (const { status } of waits)
        scene.expect(status === 200 || status === 503, `a wait got ${status}`);
    };
  },
};

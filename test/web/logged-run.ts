import type { LosslessClient } from "@lossless/client";
import { ExperimentCaller, targetOf } from "../contract/callers.ts";
import { annotate, media, type Note, text } from "../contract/views-v1/logged-calls.ts";
import { type Contents, pngOf, pushVersions } from "./pushed-artifacts.ts";

/** A run with points, and with what it logged beside them. */
export interface LoggedRun {
  experimentId: string;
  slug: string;
}

/** Writes points of a loss, files as a version of the run's own artifact, and notes. */
export async function logRun(
  client: LosslessClient,
  baseUrl: string,
  slug: string,
  { files, notes, last = 1_000 }: { files: Contents; notes: readonly Note[]; last?: number },
): Promise<LoggedRun> {
  const run = await client.record({ slug });
  for (let step = 0; step <= last; step += 10) run.record("loss", 3 / (1 + step / 100), step);
  await run.flush();
  const { experimentId } = run;
  await pushVersions(client, `${slug}/media`, [
    { name: "1", files, meta: { experiment: slug, kind: "media" } },
  ]);
  const opened = await client.openExperiment({ slug, description: "" });
  const target = targetOf({ baseUrl });
  await annotate(new ExperimentCaller(target, slug, { ...opened }), notes);
  await run.finish();
  return { experimentId, slug };
}

/** A file of a run as one of its media. */
export function logged(
  { slug, files }: { slug: string; files: Contents },
  kind: string,
  name: string,
  step: number,
  path: string,
  more: Record<string, string | number> = {},
): Note {
  const bytes = Buffer.from(files[path]).length;
  return media(kind, name, step, { artifact: `${slug}/media`, version: "1", path, bytes, ...more });
}

/** Files of each kind. */
export function filesOfAllKinds(): Contents {
  const table = {
    columns: ["guess", "score"],
    data: [
      ["dog", 0.25],
      ["cat", 10],
      ["bird", 9.5],
      ["cow", { _number: "NaN" }],
    ],
  };
  const confusion = {
    columns: ["Actual", "Predicted", "nPredictions"],
    data: [
      ["cat", "cat", 41],
      ["cat", "dog", 2],
      ["dog", "cat", 3],
      ["dog", "dog", 38],
    ],
  };
  const plot = {
    plot: "confusion_matrix",
    actual: "Actual",
    predicted: "Predicted",
    value: "nPredictions",
  };
  const figure = {
    data: [{ type: "scatter", x: [1, 2, 3], y: [3, 1, 2], name: "curve" }],
    layout: {},
  };
  return {
    "a.png": pngOf(28, 28),
    "b.png": pngOf(480, 320),
    "table.json": JSON.stringify(table),
    "plot.json": JSON.stringify({ ...plot, title: "validation", table: confusion }),
    "plotly.json": JSON.stringify(figure),
    "surface.json": JSON.stringify({ data: [{ type: "surface", z: [[1]] }] }),
    "tone.wav": waveOf(0.25),
    "long.wav": waveOf(110),
    "page.html":
      "<h1 style='color: navy'>A page</h1><p id=a>still</p><script>a.textContent = 'moved'</script>",
  };
}

/** A quiet tone of some seconds: 44,100 bytes each. */
function waveOf(seconds: number): Buffer {
  const samples = Math.round(44_100 * seconds);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(44_100, 24);
  head.writeUInt32LE(44_100, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples, 40);
  const body = Uint8Array.from({ length: samples }, (_, at) => 128 + 20 * Math.sin(at / 16));
  return Buffer.concat([head, body]);
}

/** A run that logs every kind each 500 steps, a histogram each 100, and two texts. */
export async function logAllKinds(
  client: LosslessClient,
  baseUrl: string,
  slug: string,
  last = 1_000,
): Promise<LoggedRun> {
  const files = filesOfAllKinds();
  const of = { slug, files };
  const notes: Note[] = [];
  for (let step = 0; step <= last; step += 500) {
    for (const index of [0, 1, 2])
      notes.push(
        logged(of, "image", "samples", step, "a.png", {
          index,
          count: 3,
          width: 28,
          height: 28,
          caption: `digit ${index} at ${step}`,
        }),
      );
    notes.push(logged(of, "image", "photo", step, "b.png", { width: 480, height: 320 }));
    notes.push(logged(of, "table", "guesses", step, "table.json"));
    notes.push(logged(of, "plot", "matrix", step, "plot.json", { plot: "confusion_matrix" }));
    notes.push(logged(of, "plotly", "figure", step, "plotly.json"));
    notes.push(logged(of, "plotly", "surface", step, "surface.json"));
    notes.push(logged(of, "audio", "tone", step, "tone.wav"));
    notes.push(logged(of, "audio", "long tone", step, "long.wav"));
    notes.push(logged(of, "html", "page", step, "page.html"));
    notes.push(text("generated", step, `A story of step ${step}.\nIt was long. `.repeat(20)));
  }
  for (let step = 0; step <= last; step += 100)
    notes.push({
      annotation: `weights: histogram at step ${step}`,
      meta: {
        kind: "media",
        _media: {
          kind: "histogram",
          name: "weights",
          step,
          path: "none",
          bytes: 1,
          artifact: `${slug}/media`,
          version: "1",
          histogram: { values: [1, 2 + step / 100, 3, 2, 1], bins: [-2, -1, 0, 1, 2, 3] },
        },
      },
    });
  notes.push(text("phase", 0, "warm-up"), text("phase", 300, "train"), text("phase", 900, "decay"));
  return logRun(client, baseUrl, slug, { files, notes, last });
}

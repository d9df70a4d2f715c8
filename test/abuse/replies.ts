import { event } from "../contract/callers.ts";
import { call } from "../http.ts";
import { residentMebibytes, restartPeak } from "../bench/measure.ts";
import type { Abuse } from "./abuse.ts";
import type { Scene } from "./scene.ts";

const mebibyte = 1024 * 1024;

/** Bytes that the replies of one request may have together, with room for their envelopes. */
const requestRepliesMebibytes = 80;

interface Reply {
  event: string;
  data: { code?: string };
}

/** Finding 1: 16 KB of requests for gigabytes of replies. */
export const manyReadsInOneRequest: Abuse = {
  name: "an array of reads, each of megabytes",
  isTimed: true,
  async prepare(scene) {
    const experimentId = await scene.annotated(scene.amount(64, 1_000), { a: "y".repeat(63_000) });
    const reads = Array.from({ length: scene.amount(30, 120) }, () =>
      event("query.annotations", { experimentId }),
    );
    return () =>
      withinMemory(scene, scene.amount(400, 1_000), async () => {
        const { status, text } = await scene.post("/api/v2/events", reads);
        scene.notes.push(`the reply has ${(text.length / mebibyte).toFixed(1)} MiB`);
        scene.expect(status === 200, `an array of reads got ${status}: ${text.slice(0, 200)}`);
        const isBounded = text.length < requestRepliesMebibytes * mebibyte;
        scene.expect(isBounded, `one request got ${text.length} bytes of replies`);
        if (status !== 200 || !isBounded) return;
        const replies = JSON.parse(text) as Reply[];
        const codes = new Set(replies.map(({ data }) => data.code ?? "read"));
        scene.expect(codes.has("read"), "no read of the array was answered");
        scene.expect(codes.has("result_too_large"), "no read was told that it does not fit");
      });
  },
};

/** Finding 2: one read whose parsed form is fifty times as large as its text. */
export const oneReadOfManyObjects: Abuse = {
  name: "one read of annotations with thousands of objects each",
  isTimed: true,
  async prepare(scene) {
    const count = scene.amount(200, 1_000);
    const meta = { a: Array.from({ length: 21_000 }, () => ({})) };
    const experimentId = await scene.annotated(count, meta);
    const size = (count * 63_000) / mebibyte;
    return () =>
      withinMemory(scene, 60 + 8 * size, async () => {
        const { status, text } = await scene.post(
          "/api/v2/events",
          event("query.annotations", { experimentId }),
        );
        const whole = JSON.stringify(meta);
        const found = text.split(whole).length - 1;
        const wanted = Math.min(count, Math.floor((64 * mebibyte) / (whole.length + 1)));
        const isWhole = status === 200 && found >= wanted;
        scene.expect(isWhole, `the read got ${status} with ${found} of ${count} annotations`);
      });
  },
};

/** Findings 1 and 2: many trees at once, which nothing but the number of experiments bounds. */
export const manyTrees: Abuse = {
  name: "trees of megabytes, several at once",
  isTimed: true,
  async prepare(scene) {
    const description = "d".repeat(16_000);
    const opens = Array.from({ length: scene.amount(500, 6_000) }, (_, index) =>
      event("experiment.open", { slug: `tree-${index}`, description, meta: {} }),
    );
    for (let from = 0; from < opens.length; from += 500) {
      await scene.post("/api/v2/events", opens.slice(from, from + 500));
    }
    return () =>
      withinMemory(scene, scene.amount(500, 1_000), async () => {
        const ask = () => scene.post("/api/v2/events", event("foldertree.read", {}));
        const replies = await Promise.all(Array.from({ length: scene.amount(20, 6) }, ask));
        for (const { status, text } of replies) {
          const isKnown = (status === 200 && text.length < 70 * mebibyte) || status === 503;
          scene.expect(isKnown, `a tree got ${status} and ${text.length} bytes`);
        }
        scene.expect(
          replies.some(({ status }) => status === 200),
          "no tree was answered",
        );
      });
  },
};

/** The service lives, and has not taken more memory than this for it. */
async function withinMemory(
  scene: Scene,
  growthMaxMebibytes: number,
  work: () => Promise<void>,
): Promise<void> {
  const { service } = scene;
  restartPeak(service.processId);
  const before = residentMebibytes(service.processId);
  await work();
  const grown = residentMebibytes(service.processId, "VmHWM") - before;
  scene.notes.push(`${Math.round(grown)} MiB more at the most`);
  const bound = Math.round(growthMaxMebibytes);
  scene.expect(grown <= bound, `it took ${Math.round(grown)} MiB more, bound ${bound}`);
  const { status } = await call(service.baseUrl, { path: "/healthz" });
  scene.expect(status === 200, `afterwards /healthz says ${status}`);
}

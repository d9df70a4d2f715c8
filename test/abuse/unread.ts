import { residentMebibytes } from "../bench/measure.ts";
import { event } from "../contract/callers.ts";
import type { Abuse } from "./abuse.ts";
import { head, RawSockets } from "./raw-sockets.ts";

const documents = head("GET /api/openapi.json").repeat(20);
const patienceMs = 60_000;

/** Finding 4: replies that nobody reads. */
export const unreadReplies: Abuse = {
  name: "replies that nobody reads",
  isTimed: true,
  async prepare(scene) {
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl);
      const before = residentMebibytes(scene.service.processId);
      await sockets.openMany(scene.amount(60, 800), documents);
      const isOver = await sockets.allClosed(scene.limits.streamIdleMs * 2 + patienceMs);
      scene.expect(isOver, `${sockets.count - sockets.closed} of ${sockets.count} are still open`);
      const grown = Math.round(residentMebibytes(scene.service.processId) - before);
      scene.notes.push(`${grown} MiB more afterwards`);
    };
  },
};

/** Finding 4: replies of which now and then a little is read. */
export const trickledReplies: Abuse = {
  name: "replies that trickle",
  isTimed: true,
  async prepare(scene) {
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl);
      await sockets.openMany(scene.amount(20, 200), documents);
      const isOver = await sockets.allClosed(scene.limits.streamIdleMs * 4 + patienceMs, () =>
        sockets.trickle(2_000),
      );
      scene.expect(isOver, `${sockets.count - sockets.closed} of ${sockets.count} are still open`);
    };
  },
};

/** Finding 8: one key takes all series streams, and reads them as slowly as it is let. */
export const seriesStreams: Abuse = {
  name: "all series streams of one key",
  isTimed: true,
  async prepare(scene) {
    const experimentId = await scene.recorded(scene.amount(150_000, 300_000));
    const data = { experimentId, seriesName: "a", filter: [], xAxis: "step" };
    const query = JSON.stringify(event("query.series", data));
    const request =
      head("POST /api/v2/query/series", {
        Authorization: `Bearer ${scene.key}`,
        "Content-Type": "application/json",
        "Content-Length": query.length,
        Connection: "close",
      }) + query;
    return async () => {
      using sockets = new RawSockets(scene.service.baseUrl);
      // The neighbour asks for a stream again and again; each has to be there.
      await sockets.openMany(scene.limits.streams + 4, request);
      const isOver = await sockets.allClosed(scene.limits.streamIdleMs * 4 + patienceMs, () =>
        sockets.trickle(2_000),
      );
      scene.expect(isOver, `${sockets.count - sockets.closed} of ${sockets.count} are still open`);
    };
  },
};

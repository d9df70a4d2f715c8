import { Readable } from "node:stream";
import type { Share } from "../../ground/fair-shares.ts";
import { ServiceError } from "../../ground/errors.ts";
import { openServed } from "../callers/caller.ts";
import { ClientGone } from "../client-gone.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { fileCaller } from "./file-caller.ts";

export const readPointsCsv: Route = async (context, request, reply) => {
  const { organizationId } = fileCaller(context, request);
  const { start, end, ...query } = readQuery("readPointsCsv", request.raw.url);
  const share = context.streams.take(organizationId);
  if (share === undefined) {
    throw new ServiceError("overloaded", "Too many series streams run at once; try again.");
  }
  const { storage } = openServed(request);
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  const range = { start: Number(start ?? -Infinity), end: Number(end ?? Infinity) };
  const input = { organizationId, ...query, ...range };
  const chunks = held(share, () => storage.pointsCsv(input, left.signal));
  // From here on it holds a snapshot, which goes when the reply does, however it ends.
  const { value: count } = await chunks.next().catch((error: unknown) => {
    throw left.signal.aborted ? new ClientGone() : error;
  });
  const leave = () => void chunks.return(undefined).catch(() => undefined);
  reply.raw.once("close", leave);
  if (reply.raw.closed || request.raw.socket.destroyed) {
    leave();
    throw new ClientGone();
  }
  const stop = context.state.streamsEnd;
  void reply
    .header("content-type", "text/csv; charset=utf-8")
    .header("content-disposition", attachmentOf(`${query.seriesName}.csv`))
    .header("x-svc-points", Buffer.from(count!).toString())
    .send(Readable.from(chunks, { objectMode: false, signal: stop }));
};

async function* held(
  share: Share,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array, undefined> {
  using _ = share;
  yield* await open();
}

/** Names of series are printable ASCII. */
function attachmentOf(name: string): string {
  return `attachment; filename="${name.replaceAll(/["*/:<>?\\|]/g, "-")}"`;
}

import type { FastifyReply, FastifyRequest } from "fastify";
import { Readable } from "node:stream";
import type { Share } from "../../ground/fair-shares.ts";
import { ServiceError } from "../../ground/errors.ts";
import { attachmentOf } from "../../ground/attachment.ts";
import { ClientGone } from "../bodies/client-gone.ts";
import type { HttpContext } from "../http-context.ts";

const contentTypes = {
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
} as const;

export interface SentFile {
  /** Holder of the share of streams that it takes. */
  holder: string;
  kind: keyof typeof contentTypes;
  /** Opens the file: the first chunk is the number of its entries, the others are the file. */
  open: (left: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  /** Name of the header with that number. */
  countHeader: `x-svc-${string}`;
  name: string;
}

/**
 * Sends a file as its reader takes it. CSV with fewer rows than its header says is incomplete, and
 * so is Parquet without a footer.
 */
export async function sendFile(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { holder, kind, open, countHeader, name }: SentFile,
): Promise<void> {
  const share = context.limits.streams.take(holder);
  if (share === undefined) {
    throw new ServiceError("overloaded", "Too many series streams run at once; try again.");
  }
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  const chunks = held(share, () => open(left.signal));
  // From here on a snapshot is held, which is released with the reply, however it ends.
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
    .header("content-type", contentTypes[kind])
    .header("content-disposition", attachmentOf(name.replaceAll(/["*/:<>?\\|]/g, "-")))
    .header(countHeader, Buffer.from(count!).toString())
    .send(Readable.from(chunks, { objectMode: false, signal: stop }));
}

async function* held(
  share: Share,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array, undefined> {
  using _ = share;
  yield* await open();
}

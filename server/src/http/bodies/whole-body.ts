import type { IncomingMessage } from "node:http";
import type { ServiceError } from "../../ground/errors.ts";
import { BodyWatch } from "./body-progress.ts";
import { ClientGone } from "./client-gone.ts";
import type { RequestBudget, Reservation } from "../limits/request-budget.ts";

/** The budget that a body takes from, and the time that it may take to arrive. */
export interface BodyAllowance {
  budget: RequestBudget;
  /** Organization of the caller, or the address where there is no credential. */
  holder: string;
  watch: BodyWatch;
}

/**
 * Returns how bodies are watched where a whole request may take `timeoutMs`: 100 KB over the
 * slowest mobile lines pass; 1 byte now and then does not hold a place for the whole time-out.
 */
export function wholeBodyWatch(timeoutMs: number): BodyWatch {
  return new BodyWatch({
    spanMs: timeoutMs / 6,
    spanBytesMin: 1_024,
    graceMs: timeoutMs / 4,
    averageBytesPerSecondMin: 4_096,
  });
}

/**
 * Reserves a place in the budget for a body; throws the error of `tooLarge` when more is announced.
 */
export function reserveBody(
  { headers }: Pick<IncomingMessage, "headers">,
  { budget, holder }: BodyAllowance,
  maximumBytes: number,
  tooLarge: () => ServiceError,
): Reservation {
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > maximumBytes) throw tooLarge();
  return budget.reserve(holder, announced);
}

/** Gathers a body up to its maximum size, counted as it arrives. */
export function gatherBody(
  request: IncomingMessage,
  reservation: Reservation,
  { watch }: BodyAllowance,
  maximumBytes: number,
  tooLarge: () => ServiceError,
): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      progress.arrived(chunk.length);
      try {
        if (sizeBytes > maximumBytes) throw tooLarge();
        reservation.growTo(sizeBytes);
        chunks.push(chunk);
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const onEnd = () => finish(() => resolve(chunks));
    const onGone = () => finish(() => reject(new ClientGone()));
    const finish = (settle: () => void) => {
      progress[Symbol.dispose]();
      request.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone);
      // Later bytes are discarded, as long as closeAfterReply says. Errors then mean nothing,
      // and their listener retains nothing of the body while the request waits.
      request.on("error", ignored).resume();
      settle();
    };
    const progress = watch.follow((error) => finish(() => reject(error)));
    progress.startWaiting();
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    // The client left while its credential was looked up: no event reports that any more.
    if (request.destroyed && !request.readableEnded) onGone();
  });
}

function ignored(): void {}

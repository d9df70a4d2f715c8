import type { WaitReply } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { Condition } from "../../views/condition.ts";
import { ClientGone } from "../bodies/client-gone.ts";
import { authenticate } from "../callers/authenticate.ts";
import { organizationCaller } from "../callers/caller.ts";
import { type Call, endpointRoutes } from "../endpoint-routes.ts";

/** Minimum time between two tests. */
const apartMs = 1_000;
/** Interval of the tests of conditions that time alone may fulfil. */
const ripensWithinMs = 10_000;

export const waiting = endpointRoutes({
  async waitUntil(call) {
    const { caller, context, request } = call;
    const { hasWaited, reply } = await waitFor(call);
    if (request.raw.socket.destroyed) throw new ClientGone();
    if (!hasWaited) return reply;
    // A caller whose rights ended during the wait is told nothing.
    await authenticate(context, "waitUntil", request);
    if (organizationCaller(request).organizationId === caller.organizationId) return reply;
    throw new ServiceError("forbidden", "The session acts for another organization now.");
  },
});

/** Tests the condition after each change of the experiment, until it is decided or time is over. */
async function waitFor({ body, ...call }: Call<"waitUntil">) {
  const deadlineMs = performance.now() + body.waitMs;
  for (let hasWaited = false; ; hasWaited = true) {
    const { reply, ...condition } = await readCondition({ body, ...call });
    const leftMs = Math.ceil(deadlineMs - performance.now());
    const { isStopped } = call.context.replies.watching;
    const isGone = call.request.raw.socket.destroyed;
    if (reply.outcome !== "waiting" || leftMs <= 0 || isStopped || isGone)
      return { hasWaited, reply };
    await nextTest(call, reply, condition, leftMs);
  }
}

async function readCondition({
  caller: { organizationId },
  body: { experimentId, until },
  served,
}: Pick<Call<"waitUntil">, "caller" | "body" | "served">): Promise<Condition> {
  const condition = await served.storage.read("views.condition", {
    organizationId,
    experimentId,
    until,
  });
  if (condition !== undefined) return condition;
  throw new ServiceError("not_found", "There is no experiment with this id.");
}

/** Waits until the condition may be another: something changed, or time has passed. */
async function nextTest(
  { caller, served, context, reply }: Omit<Call<"waitUntil">, "body">,
  { experimentId }: WaitReply,
  { revision, isBehind, ripens }: Omit<Condition, "reply">,
  leftMs: number,
): Promise<void> {
  const { organizationId, holder, by } = caller;
  using wait = context.replies.watching.begin(served.storage, {
    organizationId,
    holder,
    // Turns of their own: many waits do not delay the news of the caller's pages.
    caller: `waits of ${by.actor}`,
    seen: [{ experimentId, revision }],
    opened: undefined,
    waitMs: ripens ? Math.min(leftMs, ripensWithinMs) : leftMs,
    pacesItself: true,
  });
  const end = () => wait.end();
  reply.raw.once("close", end);
  try {
    await wait.pause(Math.min(leftMs, apartMs));
    // Summaries change without a change of the experiment: it is tested at the caller's next turn.
    await (isBehind ? wait.turn() : wait.changes());
  } finally {
    reply.raw.off("close", end);
  }
}

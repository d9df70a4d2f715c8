/** One request of a writer or reader of an artifact, as it was seen from outside. */
export interface Operation {
  /** Milliseconds on one clock of the test's process. */
  invokedMs: number;
  /** When the reply was there; Infinity without one: it may happen at any later time, or never. */
  returnedMs: number;
  request: Request;
  reply: Reply;
}

export type Request =
  | { kind: "open"; mode: "latest" | "new" }
  | { kind: "begin"; epoch: number; version: string }
  | { kind: "commit"; epoch: number; version: string; upload: string }
  | { kind: "read" };

/** `ok` carries what the reply said; `unknown`: the connection broke. */
export type Reply =
  | { kind: "ok"; epoch?: number; latest?: string | null }
  | { kind: "refused"; code: string; epoch?: number }
  | { kind: "unknown" };

/** The artifact as the specification describes it: its epoch, and the committed versions. */
export interface State {
  epoch: number;
  /** Uploads that were committed, with their versions, in order; the last one is the latest. */
  committed: readonly { upload: string; version: string }[];
}

export const emptyArtifact: State = { epoch: 0, committed: [] };

/**
 * The artifact after an operation that takes effect now, or undefined when the reply could not have
 * been given now. An unknown outcome fits every state in which the operation could have been
 * carried out.
 */
export function apply(state: State, { request, reply }: Operation): State | undefined {
  switch (request.kind) {
    case "open":
      return applyOpen(state, request.mode, reply);
    case "begin":
      return fits(beginOutcome(state, request), reply) ? state : undefined;
    case "commit": {
      const outcome = commitOutcome(state, request);
      if (!fits(outcome, reply)) return undefined;
      if (outcome.kind !== "ok" || isCommitted(state, request.upload)) return state;
      const { upload, version } = request;
      return { epoch: state.epoch, committed: [...state.committed, { upload, version }] };
    }
    case "read": {
      const latest = latestOf(state);
      if (reply.kind === "ok") return reply.latest === latest ? state : undefined;
      return reply.kind === "refused" && reply.code === "not_found" && latest === null
        ? state
        : undefined;
    }
  }
}

/** Whether leaving an operation out altogether is a possible explanation. */
export function mayBeLeftOut({ reply }: Operation): boolean {
  return reply.kind === "unknown";
}

export function latestOf({ committed }: State): string | null {
  return committed.at(-1)?.version ?? null;
}

export function stateKey({ epoch, committed }: State): string {
  return `${epoch}:${committed.map(({ upload }) => upload).join(",")}`;
}

function applyOpen(state: State, mode: "latest" | "new", reply: Reply): State | undefined {
  const latest = latestOf(state);
  const refusal =
    mode === "new" && latest !== null
      ? "not_empty"
      : mode === "latest" && latest === null
        ? "not_found"
        : undefined;
  if (refusal !== undefined) {
    return reply.kind === "refused" && reply.code === refusal ? state : undefined;
  }
  const next = { ...state, epoch: state.epoch + 1 };
  if (reply.kind === "unknown") return next;
  return reply.kind === "ok" && reply.epoch === next.epoch && reply.latest === latest
    ? next
    : undefined;
}

function beginOutcome(state: State, { epoch, version }: { epoch: number; version: string }): Reply {
  if (epoch !== state.epoch) return { kind: "refused", code: "superseded", epoch: state.epoch };
  const latest = latestOf(state);
  if (latest !== null && version <= latest) return { kind: "refused", code: "not_after_latest" };
  return { kind: "ok" };
}

function commitOutcome(
  state: State,
  request: { epoch: number; version: string; upload: string },
): Reply {
  return isCommitted(state, request.upload) ? { kind: "ok" } : beginOutcome(state, request);
}

function isCommitted({ committed }: State, upload: string): boolean {
  return committed.some((one) => one.upload === upload);
}

function fits(outcome: Reply, reply: Reply): boolean {
  if (reply.kind === "unknown") return true;
  if (reply.kind === "ok" || outcome.kind !== "refused") return reply.kind === outcome.kind;
  return reply.kind === "refused" && reply.code === outcome.code && reply.epoch === outcome.epoch;
}

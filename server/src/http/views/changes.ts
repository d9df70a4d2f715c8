import type { ChangesBody } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { authenticate } from "../callers/authenticate.ts";
import { organizationCaller } from "../callers/caller.ts";
import { ClientGone } from "../bodies/client-gone.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const changes = endpointRoutes({
  async readChanges({ caller, body, served, context, request, reply }) {
    const { organizationId, holder, by } = caller;
    const question = { organizationId, holder, caller: by.actor, ...questionOf(body) };
    using wait = context.replies.watching.begin(served.storage, question);
    // A request keeps its body as long as it waits, which a thousand do.
    body.experiments.length = 0;
    reply.raw.once("close", () => wait.end());
    const found = await wait.changes();
    if (request.raw.socket.destroyed) throw new ClientGone();
    if (!wait.hasWaited || found.experiments.length + found.openedExperiments === 0) return found;
    // A caller whose rights ended during the wait is told nothing.
    await authenticate(context, "readChanges", request);
    if (organizationCaller(request).organizationId === organizationId) return found;
    throw new ServiceError("forbidden", "The session acts for another organization now.");
  },
});

function questionOf({ experiments, opened, waitMs }: ChangesBody) {
  if (opened !== undefined && !/^\d{1,15}$/.test(opened)) {
    throw new ServiceError("bad_request", "`opened` must be that of a reply.");
  }
  return {
    seen: experiments,
    opened: opened === undefined ? undefined : Number(opened),
    waitMs,
  };
}

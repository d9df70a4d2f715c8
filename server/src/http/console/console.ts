import type { AppendConsoleBody } from "@lossless/protocol";
import { writeOne } from "../../storage/storage.ts";
import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { notAuthenticated } from "../callers/caller.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";
import { sendJson } from "../replies/replies.ts";
import type { Route } from "../route.ts";

/** `POST /api/console/v1/experiments/{experimentId}/lines`, with a token of the experiment. */
export const appendConsole: Route = async (context, request, reply) => {
  const { caller, served } = request;
  if (caller?.kind !== "experiment_token" || served === undefined) throw notAuthenticated(request);
  const body = (await readEndpointBody(context, request, "appendConsole")) as AppendConsoleBody;
  const { organizationId, experimentId } = caller;
  const input = { organizationId, experimentId, body };
  const { next } = await writeOne(served.storage, "console.append", input);
  sendJson(reply, JSON.stringify({ next }));
};

export const consoleReads = endpointRoutes({
  readConsole(call) {
    return fitting(call, "console.read", { body: call.body }, "lines");
  },
  searchConsole(call) {
    return fitting(call, "console.search", { body: call.body }, "lines");
  },
});

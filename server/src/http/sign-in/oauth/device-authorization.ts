import { endpoints } from "@lossless/protocol";
import type { ReplyBody } from "@lossless/protocol";
import { writeOne } from "../../../storage/storage.ts";
import { sendJson } from "../../replies.ts";
import { readForm } from "../form.ts";
import { openServed } from "../../callers/caller.ts";
import type { Route } from "../../route.ts";
import { checkClient } from "./client.ts";

/**
 * `POST /oauth/device` (RFC 8628 3.1). There is no verification_uri_complete: a link that fills the
 * code in is how people are made to sign somebody else's device in.
 */
export const oauthDevice: Route = async (context, request, reply) => {
  checkClient(await readForm(context, request), "required");
  context.deviceStarts.take(request.ip);
  const { storage } = openServed(request);
  const codes = await writeOne(storage, "oauth.startDevice", { address: request.ip });
  const body: ReplyBody<"oauthDevice"> = {
    device_code: codes.deviceCode,
    user_code: codes.userCode,
    verification_uri: context.baseUrl() + endpoints.devicePage.path,
    expires_in: codes.lifetimeMs / 1_000,
    interval: codes.intervalMs / 1_000,
  };
  sendJson(reply, JSON.stringify(body));
};

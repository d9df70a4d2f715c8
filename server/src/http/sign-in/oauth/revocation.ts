import { hashSecret, isSecretOf } from "../../../ground/secrets.ts";
import { writeOne } from "../../../storage/storage.ts";
import { readForm } from "../form.ts";
import { openServed } from "../../callers/caller.ts";
import type { Route } from "../../route.ts";
import { checkClient, requiredField } from "./client.ts";

/** `POST /oauth/revoke` (RFC 7009): 200 also for a token that nobody knows. What kind it is, its prefix says. */
export const oauthRevoke: Route = async (context, request, reply) => {
  const form = await readForm(context, request);
  checkClient(form, "optional");
  const token = requiredField(form, "token");
  if (isSecretOf(token, "at_") || isSecretOf(token, "rt_")) {
    const input = { tokenHash: hashSecret(token), address: request.ip };
    await writeOne(openServed(request).storage, "oauth.revoke", input);
  }
  void reply.code(200).send("");
};

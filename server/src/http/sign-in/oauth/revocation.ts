import { hashSecret, isSecretOf } from "../../../ground/secrets.ts";
import { writeOne } from "../../../storage/storage.ts";
import { checkClient, oauth, requiredField } from "./client.ts";

export const revocation = oauth({
  /** RFC 7009: 200 also for an unknown token. Its prefix tells its kind. */
  async oauthRevoke({ body, served, request }) {
    checkClient(body, "optional");
    const token = requiredField(body, "token");
    if (isSecretOf(token, "at_") || isSecretOf(token, "rt_")) {
      const input = { tokenHash: hashSecret(token), address: request.ip };
      await writeOne(served.storage, "oauth.revoke", input);
    }
  },
});

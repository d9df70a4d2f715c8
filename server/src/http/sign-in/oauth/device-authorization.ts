import { endpoints } from "@lossless/protocol";
import { writeOne } from "../../../storage/storage.ts";
import { checkClient, oauth } from "./client.ts";

export const deviceAuthorization = oauth({
  /**
   * RFC 8628 3.1. There is no verification_uri_complete: a link that fills in the code is how
   * people are tricked into signing in another person's device.
   */
  async oauthDevice({ body, served, context, request }) {
    checkClient(body, "required");
    context.callers.deviceStarts.take(request.ip);
    const codes = await writeOne(served.storage, "oauth.startDevice", { address: request.ip });
    return {
      device_code: codes.deviceCode,
      user_code: codes.userCode,
      verification_uri: context.baseUrl() + endpoints.devicePage.path,
      expires_in: codes.lifetimeMs / 1_000,
      interval: codes.intervalMs / 1_000,
    };
  },
});

import { createHash } from "node:crypto";
import { hashSecret, isSecretOf, type SecretPrefix } from "../../../ground/secrets.ts";
import type {
  AskingProgram,
  Redemption,
  Refusal,
} from "../../../accounts/rows/oauth/token-pair.ts";
import { type Storage, writeOne } from "../../../storage/storage.ts";
import { deviceOf } from "../../callers/device.ts";
import type { Form } from "../form.ts";
import { checkClient, oauth, oauthFailure, requiredField } from "./client.ts";

export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";

export const token = oauth({
  /** Exchanges a code, a refresh token or a device code for a pair of tokens. */
  async oauthToken({ body, served, request, reply }) {
    // RFC 6749 5.1, beside the Cache-Control of every reply.
    reply.header("pragma", "no-cache");
    const { pair, refusal } = await redeem(body, served.storage, {
      address: request.ip,
      device: deviceOf(request),
    });
    if (pair === undefined) throw oauthFailure(refusal, sentences[refusal]);
    return {
      access_token: pair.accessToken,
      token_type: "Bearer",
      expires_in: pair.accessLifetimeMs / 1_000,
      refresh_token: pair.refreshToken,
    };
  },
});

const sentences: Record<Refusal, string> = {
  invalid_grant: "The code or token is unknown, used, expired or ended; sign in again.",
  authorization_pending: "The person has not answered yet.",
  slow_down: "Ask less often: 5 seconds more between two questions.",
  access_denied: "The person has denied it.",
  expired_token: "The code has expired; sign in again.",
};

async function redeem(form: Form, storage: Storage, program: AskingProgram): Promise<Redemption> {
  const grantType = requiredField(form, "grant_type");
  switch (grantType) {
    case "authorization_code": {
      checkClient(form, "required");
      const codeHash = hashOf(requiredField(form, "code"), "co_");
      const redirectUri = requiredField(form, "redirect_uri");
      const codeChallenge = challengeOf(requiredField(form, "code_verifier"));
      if (codeHash === undefined) return unknown;
      const input = { codeHash, redirectUri, codeChallenge, ...program };
      return writeOne(storage, "oauth.redeemCode", input);
    }
    case "refresh_token": {
      checkClient(form, "optional");
      const tokenHash = hashOf(requiredField(form, "refresh_token"), "rt_");
      if (tokenHash === undefined) return unknown;
      return writeOne(storage, "oauth.refresh", { tokenHash, address: program.address });
    }
    case deviceGrantType: {
      checkClient(form, "required");
      const deviceHash = hashOf(requiredField(form, "device_code"), "dc_");
      if (deviceHash === undefined) return unknown;
      return writeOne(storage, "oauth.redeemDevice", { deviceHash, ...program });
    }
    default:
      throw oauthFailure("unsupported_grant_type", "The grant type is not supported.");
  }
}

const unknown: Redemption = { refusal: "invalid_grant" };

/**
 * Returns the hash of a secret; undefined for a text that cannot be one of ours, so that a guess
 * costs no look-up in the database.
 */
function hashOf(secret: string, prefix: SecretPrefix): Uint8Array | undefined {
  return isSecretOf(secret, prefix) ? hashSecret(secret) : undefined;
}

/** RFC 7636 4.1 and 4.6. */
function challengeOf(verifier: string): string {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
    throw oauthFailure("invalid_request", "code_verifier must be 43 to 128 unreserved characters.");
  }
  return createHash("sha256").update(verifier, "ascii").digest("base64url");
}

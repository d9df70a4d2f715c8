import { existsSync } from "node:fs";
import { ConnectionError, hasCode, SupersededError } from "@lossless/client";
import type { Invocation } from "./command.ts";
import { loginFilePath } from "./login/login-file.ts";

/** Explains an error in one sentence, with what to do about it. */
export function explained(error: Error, invocation?: Invocation): string {
  if (error instanceof ConnectionError) {
    if (/\((?:ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)\)/.test(error.message)) {
      return `${error.message}; the server there speaks http, not https`;
    }
    if (/SELF_SIGNED_CERT|LEAF_SIGNATURE|ISSUER_CERT/.test(error.message)) {
      return `${error.message}; NODE_EXTRA_CA_CERTS names the file of the authority that signed the certificate`;
    }
    return `${error.message}; is the service running there? --url or LOSSLESS_URL names another address`;
  }
  if (hasCode(error, "unauthorized")) {
    return (
      "the service does not accept this API key or sign-in; give a valid key with --api-key or " +
      "LOSSLESS_API_KEY, or run lossless login"
    );
  }
  if (error instanceof SupersededError) return `superseded: ${error.message}`;
  if (hasCode(error, "forbidden")) {
    return `${error.message} ${usedKey(invocation)}`.trimEnd();
  }
  if (hasCode(error, "not_ready")) {
    return `${error.message} Add one with lossless locations add --fallback.`;
  }
  if (hasCode(error, "not_empty")) {
    const [fact] = error.message.split(";");
    return `${fact}; leave out --new and --fork-from to push the next version.`;
  }
  if (hasCode(error, "not_after_latest")) {
    return `${error.message} Leave out --version to use the next number.`;
  }
  if (hasCode(error, "result_too_large")) {
    return `${error.message} Name experiments with --slug instead.`;
  }
  return error.message;
}

/** A hint that an API key was used, which takes precedence over the sign-in but is no person. */
function usedKey(invocation: Invocation | undefined): string {
  if (invocation === undefined) return "";
  const { values, environment } = invocation;
  const flag = values.text("api-key");
  if (flag === undefined && (environment["LOSSLESS_API_KEY"] ?? "") === "") return "";
  const isSignedIn = existsSync(loginFilePath(environment) ?? "");
  const used = flag === undefined ? "LOSSLESS_API_KEY" : "The key of --api-key";
  const without = flag === undefined ? "unset it" : "leave it out";
  return isSignedIn
    ? `${used} was used: ${without} to act as the person who signed in.`
    : `${used} was used: run lossless login, and ${without}.`;
}

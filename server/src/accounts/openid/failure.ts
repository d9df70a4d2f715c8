/**
 * Returns the sentence shown to an owner or a person when a provider's reply is unusable. It
 * contains no addresses and nothing from the reply but the error code of RFC 6749, and the fault
 * that openid-client found.
 */
export function failureSentence(error: unknown): { isAway: boolean; sentence: string } {
  const names = chainOf(error);
  if (names.some(({ name }) => name === "ForbiddenAddress" || name === "UnusableHost")) {
    return {
      isAway: false,
      sentence: "cannot be used: its host does not exist, or connections to it are not allowed.",
    };
  }
  const { code, error: oauthCode, message } = (error ?? {}) as Failure;
  if (isWord(oauthCode)) {
    const words = deniedWords.get(oauthCode) ?? `refused the sign-in (${oauthCode})`;
    return { isAway: oauthCode === "temporarily_unavailable", sentence: `${words}.` };
  }
  const inner = names.find((one) => isWord(one.code) && networkCodes.test(one.code));
  const isAway = inner !== undefined || names.some(({ name }) => timeouts.has(name));
  if (isAway) return { isAway, sentence: "does not answer. Try again later, or tell an admin." };
  if (isWord(code) && typeof message === "string" && message.length < 200) {
    return { isAway: false, sentence: `gave an answer that cannot be trusted: ${message}.` };
  }
  return { isAway: true, sentence: "gave an answer that cannot be read." };
}

interface Failure {
  name?: unknown;
  code?: unknown;
  error?: unknown;
  message?: unknown;
  cause?: unknown;
}

const deniedWords = new Map([
  ["access_denied", "did not let you in: ask an admin there to assign this application to you"],
  [
    "invalid_client",
    "does not know this service by its client id and secret: an owner has to set them again",
  ],
  ["invalid_grant", "says that this sign-in was used or has ended: sign in again"],
]);
const timeouts = new Set(["TimeoutError", "AbortError", "UnusableReply"]);
const networkCodes = /^(E[A-Z]+|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*)$/;

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]{1,100}$/.test(value);
}

/** Lists an error and its causes. */
function chainOf(error: unknown): { name: string; code: unknown }[] {
  const chain = [];
  let each = error as Failure | undefined;
  for (let depth = 0; depth < 5 && typeof each === "object" && each !== null; depth += 1) {
    chain.push({ name: String(each.name), code: each.code });
    each = each.cause as Failure | undefined;
  }
  return chain;
}

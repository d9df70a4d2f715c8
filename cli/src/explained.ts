import { ConnectionError, hasCode, SupersededError } from "@lossless/client";

/** One sentence that says what to do about an error. */
export function explained(error: Error): string {
  if (error instanceof ConnectionError) {
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
    return `${error.message} lossless login signs a person in.`;
  }
  if (hasCode(error, "not_ready")) {
    return `${error.message} lossless locations add --fallback adds one.`;
  }
  if (hasCode(error, "result_too_large")) {
    return `${error.message} Name experiments with --slug instead.`;
  }
  return error.message;
}

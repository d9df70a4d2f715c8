import { LosslessClient, type RetryObserver } from "@lossless/client";
import { type CommandOptions, commandsWith, type Invocation } from "./command.ts";
import { printable } from "./output.ts";
import { credentialOf } from "./login/credential.ts";
import { loginFilePath, readLogin } from "./login/login-file.ts";

export const connectionOptions: CommandOptions = {
  url: { type: "string" },
  "api-key": { type: "string" },
  organization: { type: "string" },
};

export const connectionHelp = `
  --url U            address of the service (LOSSLESS_URL; where you signed in; http://127.0.0.1:7070)
  --api-key K        organization API key, ak_... (LOSSLESS_API_KEY, which other users cannot see); overrides
                     the sign-in of lossless login
  --organization O   the organization to act for, when you signed in with lossless login`;

/** A command that asks the service. */
export const serviceCommand = commandsWith(connectionOptions, connectionHelp);

/** By default an unreachable service is reported soon, because a person waits. */
export function clientOf(
  invocation: Invocation,
  retryForMs = 2_000,
  observer?: RetryObserver,
): LosslessClient {
  const { url, credential, organization } = credentialOf(invocation);
  return new LosslessClient({
    baseUrl: url,
    credential,
    ...(organization === undefined ? {} : { organization }),
    onNotice: (sentence) => invocation.output.warning(`warning: ${printable(sentence)}`),
    retry: { retryForMs, ...(observer === undefined ? {} : { observer }) },
  });
}

export function isSignedIn({ environment }: Invocation): boolean {
  return readLogin(loginFilePath(environment)) !== undefined;
}

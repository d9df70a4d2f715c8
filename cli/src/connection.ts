import { LosslessClient } from "@lossless/client";
import type { CommandOptions, Invocation } from "./command.ts";
import { UsageError } from "./command.ts";

export const connectionOptions: CommandOptions = {
  url: { type: "string" },
  "api-key": { type: "string" },
};

export const connectionHelp = `
  --url U            address of the service (LOSSLESS_URL; http://127.0.0.1:7070)
  --api-key K        organization API key, ak_... (LOSSLESS_API_KEY, which other users cannot see)`;

export interface Connection {
  url: string;
  apiKey: string;
}

export function connectionOf({ values, environment }: Invocation): Connection {
  const url = values.text("url") ?? environment["LOSSLESS_URL"] ?? "http://127.0.0.1:7070";
  const apiKey = values.text("api-key") ?? environment["LOSSLESS_API_KEY"];
  if (apiKey === undefined || apiKey === "") {
    throw new UsageError("an API key is needed: set LOSSLESS_API_KEY or give --api-key");
  }
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new UsageError(`--url must be an http(s) address, not ${url}`);
  }
  return { url, apiKey };
}

/** By default a service that does not answer is reported soon, because a person waits. */
export function clientOf(invocation: Invocation, retryForMs = 2_000): LosslessClient {
  const { url, apiKey } = connectionOf(invocation);
  return new LosslessClient({ baseUrl: url, apiKey, retry: { retryForMs } });
}

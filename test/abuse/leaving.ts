import { request } from "node:http";
import type { HttpRequest } from "../http.ts";

/** Sends a request whole and closes its connection, behind `until`; nobody waits for the answer. */
export function askAndLeave(
  baseUrl: string,
  asked: HttpRequest,
  until: Promise<void> = Promise.resolve(),
): Promise<void> {
  const { method = "GET", path, credential, body } = asked;
  const { hostname, port } = new URL(baseUrl);
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    ...(bytes && { "content-type": "application/json", "content-length": bytes.length }),
    ...asked.headers,
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent = request({ hostname, port, path, method, headers, agent: false });
  sent.on("error", () => undefined).on("close", resolve);
  const leave = () => setImmediate(() => sent.destroy());
  sent.end(bytes, () => void until.then(leave, leave));
  return promise;
}

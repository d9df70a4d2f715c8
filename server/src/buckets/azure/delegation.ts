import { xmlOf } from "./container.ts";
import { storeFailure, strangeReply } from "./failure.ts";
import { sendToCloud } from "../cloud-request.ts";
import { azureVersion, secondsText, type DelegationKey } from "./sas.ts";
import { textAt } from "../store-xml.ts";

/** Lifetime of a key; Azure allows seven days. */
const lifetimeMs = 4 * 3_600_000;
/** Clocks differ: a key that begins a little later would make addresses that are not good yet. */
const backdatedMs = 15 * 60_000;

/** Fetches a signing key (Get User Delegation Key) by a token for `https://storage.azure.com`. */
export async function fetchDelegationKey(
  endpoint: string,
  token: string,
  { nowMs, deadlineMs, end }: { nowMs: number; deadlineMs: number; end?: AbortSignal | undefined },
): Promise<DelegationKey> {
  const operation = "Get User Delegation Key";
  const times = [nowMs - backdatedMs, nowMs + lifetimeMs].map(secondsText);
  const reply = await sendToCloud({
    operation,
    method: "POST",
    url: `${endpoint}/?restype=service&comp=userdelegationkey`,
    headers: {
      authorization: `Bearer ${token}`,
      "x-ms-version": azureVersion,
      "content-type": "application/xml",
    },
    body: `<?xml version="1.0" encoding="utf-8"?><KeyInfo><Start>${times[0]}</Start><Expiry>${times[1]}</Expiry></KeyInfo>`,
    deadlineMs,
    signal: end,
  });
  if (reply.status !== 200) throw storeFailure(operation, reply);
  const root = await xmlOf(operation, reply);
  const text = (name: string): string => {
    const found = textAt(root, name);
    if (found === undefined || found === "") throw strangeReply(operation);
    return found;
  };
  const expiry = text("SignedExpiry");
  const expiresAtMs = Date.parse(expiry);
  if (Number.isNaN(expiresAtMs)) throw strangeReply(operation);
  return {
    objectId: text("SignedOid"),
    tenantId: text("SignedTid"),
    start: text("SignedStart"),
    expiry,
    service: text("SignedService"),
    version: text("SignedVersion"),
    value: text("Value"),
    expiresAtMs,
  };
}

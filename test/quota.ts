import assert from "node:assert/strict";
import { finished, start } from "./cli/command-line.ts";
import type { Service } from "./service.ts";

type Amounts = Record<"bytes" | "experiments" | "partitions" | "pendingUploads", number>;

export interface ShownQuota {
  name: string;
  stored: Amounts;
  quotas: { [Each in keyof Amounts]: number | null };
  bytesInOwnBuckets: number;
}

/** `lossless quotas` for acme, beside the running service; `words` set maxima. What it is then. */
export async function setQuota(service: Service, ...words: string[]): Promise<ShownQuota> {
  const { databaseUrl } = service.options;
  const data =
    databaseUrl === undefined ? ["--data", service.dataDirectory] : ["--database-url", databaseUrl];
  const { environment } = service.options;
  const command = start("", ["quotas", "acme", ...words, ...data, "--json"], environment);
  const { code, stdout, stderr } = await finished(command);
  assert.equal(code, 0, stderr);
  const [shown] = JSON.parse(stdout) as ShownQuota[];
  assert.ok(shown !== undefined);
  return shown;
}

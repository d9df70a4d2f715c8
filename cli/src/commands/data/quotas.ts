import type { Administration, ShownQuota } from "@lossless/server/operator/administration";
import type { QuotaChange } from "@lossless/server/database/quotas/quota";
import { onData } from "../../administration.ts";
import { bytesOf } from "../../byte-size.ts";
import { type Invocation, UsageError } from "../../command.ts";
import { dataCommand } from "../../data-location.ts";
import { bytesText, countText, printable, table } from "../../output.ts";

/** Options, and the quotas that they limit. */
const maxima = {
  bytes: "bytes",
  experiments: "experiments",
  partitions: "partitions",
  "pending-uploads": "uploads",
} as const;

export const quotas = dataCommand({
  usage:
    "quotas [ORGANIZATION [--bytes B] [--experiments N] [--partitions N] [--pending-uploads N]]",
  help: `
Shows what each organization has stored and may store, the largest first; or sets maxima of one, given by name or id.
Works on the data itself, beside a stopped or a running service, which obeys from its next write on. A maximum below the
stored amount refuses new data and removes nothing.

  --bytes B            bytes on your disks: 50GB, 1.5TB, 500MB or a plain number; 1 GB is 1,000,000,000 bytes
  --experiments N      experiments
  --partitions N       series of all experiments together, counted by metadata
  --pending-uploads N  uploads of artifacts that have begun and are not committed
  Give none instead of a number for no limit.`,
  options: Object.fromEntries(
    Object.keys(maxima).map((name) => [name, { type: "string" as const }]),
  ),
  run: (invocation) => {
    const { positionals } = invocation;
    if (positionals.length > 1) throw new UsageError(`unexpected word: ${positionals[1]}`);
    const change = changeOf(invocation);
    if (positionals.length === 0 && Object.keys(change).length > 0) {
      throw new UsageError("name the organization");
    }
    return onData(invocation, (administration) => run(administration, invocation, change));
  },
});

async function run(
  administration: Administration,
  { positionals: [organization], output }: Invocation,
  change: QuotaChange,
): Promise<void> {
  const isChange = organization !== undefined && Object.keys(change).length > 0;
  const found = isChange
    ? await administration.setQuota(organization, change)
    : await administration.listQuotas(organization);
  output.answer(found.map(shown), () => quotaTable(found));
}

/** A quota under the names of the provision file. */
function shown({ id, name, used, maxima: most, bytesElsewhere }: ShownQuota) {
  const named = <Value>({ uploads: pendingUploads, ...others }: Record<"uploads", Value>) => ({
    ...others,
    pendingUploads,
  });
  return { id, name, stored: named(used), quotas: named(most), bytesInOwnBuckets: bytesElsewhere };
}

function quotaTable(found: readonly ShownQuota[]): string {
  const of = (used: number, most: number | null, text: (count: number) => string): string =>
    most === null ? text(used) : `${text(used)} of ${text(most)}`;
  return table(
    ["ORGANIZATION", "BYTES", "EXPERIMENTS", "PARTITIONS", "PENDING UPLOADS", "IN OWN BUCKETS"],
    found.map(({ name, used, maxima: most, bytesElsewhere }) => [
      printable(name),
      of(used.bytes, most.bytes, bytesText),
      of(used.experiments, most.experiments, countText),
      of(used.partitions, most.partitions, countText),
      of(used.uploads, most.uploads, countText),
      bytesText(bytesElsewhere),
    ]),
  );
}

function changeOf({ values }: Invocation): QuotaChange {
  const change: QuotaChange = {};
  for (const [option, kind] of Object.entries(maxima)) {
    const text = values.text(option);
    if (text !== undefined) change[kind] = maximumOf(option, text);
  }
  return change;
}

function maximumOf(option: string, text: string): number | null {
  if (text === "none") return null;
  const isBytes = option === "bytes";
  const maximum = isBytes ? bytesOf(text) : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (maximum >= 1 && Number.isSafeInteger(maximum)) return maximum;
  const form = isBytes ? "a size like 50GB or 1500000" : "a whole number from 1";
  throw new UsageError(`--${option} must be ${form}, or none, not ${text}`);
}

import { randomUUID } from "node:crypto";
import { locationBody } from "../contract/organization-setup.ts";
import { collectGarbageLater } from "../garbage.ts";
import { Service } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import type { FaultCampaignReport } from "./campaign-report.ts";
import { FaultDice, type FaultShares } from "./fault-dice.ts";
import { MetricIngest } from "./metric-ingest.ts";
import { VersionWriter } from "./version-writer.ts";

export interface FaultCampaignOptions extends FaultShares {
  seed: number;
  /** Versions that are begun, sent and committed. */
  versions: number;
  databaseUrl?: string | undefined;
  progress?: (line: string) => void;
}

const writersCount = 16;
const bucket = "models";

/**
 * R9: versions are written to a store of which every fifth request fails, in every way that stores
 * fail, while metrics are recorded. A failure is `upstream` and the same request succeeds later; no
 * version with other bytes is ever seen; and in the end nothing lies in the store but the versions.
 */
export async function runFaultCampaign(
  options: FaultCampaignOptions,
): Promise<FaultCampaignReport> {
  const dice = new FaultDice(options);
  let shiftMs = 0;
  await using store = await S3Double.start({
    buckets: [bucket],
    secretAccessKey: `secret${randomUUID().replaceAll("-", "")}`,
    clock: () => Date.now() + shiftMs,
    spillBytes: 65_536,
    faults: (subject) => dice.throw(subject),
  });
  await using service = await Service.start({
    locations: [locationBody(store, { path: "lossless", fallback: true })],
    allowPrivate: ["127.0.0.0/8"],
    databaseUrl: options.databaseUrl,
  });
  const report: FaultCampaignReport = {
    versions: 0,
    upstream: 0,
    partsAgain: 0,
    struck: {},
    slowestCallMs: 0,
    metricPoints: 0,
    violations: [],
  };
  const writers = await Promise.all(
    Array.from({ length: writersCount }, (_, number) =>
      VersionWriter.open(service.baseUrl, number, options.seed, report),
    ),
  );
  const ingest = await MetricIngest.start(service.baseUrl);

  dice.isThrown = true;
  await work(writers, options, report);
  dice.isThrown = false;
  report.struck = Object.fromEntries(store.faults.struck);

  report.metricPoints = await ingest.finish(report.violations);
  for (const writer of writers) await writer.check(store.objects(bucket));
  // The lists of multipart uploads that nobody knows are looked through for those older than a day.
  shiftMs = 25 * 60 * 60_000;
  const { problems } = await collectGarbageLater(service, shiftMs);
  report.violations.push(...problems);
  requireNothingElse(store, writers, report.violations);
  if (report.violations.length > 0)
    report.violations.push(...failuresIn(service.output + service.errors));
  return report;
}

async function work(
  writers: VersionWriter[],
  { versions, progress }: FaultCampaignOptions,
  report: FaultCampaignReport,
): Promise<void> {
  let next = 0;
  await Promise.all(
    writers.map(async (writer) => {
      while (next++ < versions && report.violations.length === 0) {
        await writer.writeOne();
        report.versions += 1;
        if (report.versions % 100 === 0) {
          progress?.(`${report.versions} versions, ${report.upstream} times upstream`);
        }
      }
    }),
  );
}

/** The bucket holds the files and manifests of the versions, and no upload that is not ended. */
function requireNothingElse(store: S3Double, writers: VersionWriter[], violations: string[]): void {
  const known = new Set(writers.flatMap((writer) => writer.uploads));
  for (const key of store.objects(bucket).keys()) {
    if (!key.split("/").some((word) => known.has(word))) violations.push(`left over: ${key}`);
  }
  for (const { key } of store.uploads(bucket)) {
    violations.push(`a multipart upload that nobody ends: ${key}`);
  }
}

/** Failures of its own in the service's log. */
function failuresIn(log: string): string[] {
  return log.split("\n").filter((line) => /"level":"(?:error|fatal)"/.test(line));
}

import type { GarbageReport } from "@lossless/server/operator/garbage-collection";
import { noPositionals } from "../../command.ts";
import { dataCommand, driverSettingsOf, serviceOptionsOf } from "../../data-location.ts";
import { bytesText, countedText, printable } from "../../output.ts";

export const gc = dataCommand({
  usage: "gc [--dry-run]",
  help: `
Removes at once the leftovers of abandoned uploads in the locations, which the service otherwise removes later, and ends
multipart uploads older than a day that no upload knows. It shows objects that the database does not know and never
removes them: the database may be an older copy. It looks at buckets that the service made in connected clouds only with
--issuer-url, and with --provision if the service's provision file has the key clouds. Exit code 0: everything was
checked; 1: not.

  --dry-run          change nothing, only show
  --artifacts DIR    files of the built-in location (LOSSLESS_ARTIFACTS; artifacts in the data directory)
  --master-key-file F  the service's master key (LOSSLESS_MASTER_KEY_FILE; master.key in the data directory)
  --provision FILE   the service's provision file, for private addresses of stores, and for the addresses of
                     clouds (LOSSLESS_PROVISION)
  --issuer-url U     the service's token issuer, if clouds are connected (LOSSLESS_ISSUER_URL, or the service's
                     base URL in LOSSLESS_BASE_URL)`,
  options: {
    "dry-run": { type: "boolean" },
    artifacts: { type: "string" },
    "master-key-file": { type: "string" },
    provision: { type: "string" },
    "issuer-url": { type: "string" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const { garbageCollection } = await import("@lossless/server/operator/garbage-collection");
    const dryRun = values.flag("dry-run");
    const { artifacts, masterKeyFile, provision, issuerUrl, baseUrl } = await serviceOptionsOf(
      invocation,
      ["artifacts", "masterKeyFile", "provision", "issuerUrl", "baseUrl"],
    );
    const report = await garbageCollection({
      ...(await driverSettingsOf(invocation)),
      artifacts,
      masterKeyFile,
      provision,
      issuerUrl: issuerUrl ?? baseUrl,
      dryRun,
    });
    output.answer({ dryRun, ...report }, () => reportText(report, dryRun));
    return report.problems.length === 0 ? 0 : 1;
  },
});

function reportText(report: GarbageReport, dryRun: boolean): string {
  const { expired, removals, strays, objects, problems } = report;
  const lines: string[] = [];
  for (const { upload, locationName, reason, files, bytes, state } of removals) {
    const what = `${countedText(files, "file")}, at most ${bytesText(bytes)}`;
    lines.push(`${state}: upload ${upload} at ${locationName} (${reason}): ${what}`);
  }
  for (const { locationName, key, started } of strays) {
    const state = dryRun ? "to be ended" : "ended";
    lines.push(`${state}: multipart upload at ${locationName} since ${started}: ${key}`);
  }
  for (const { locationName, key, bytes, what } of objects) {
    const state =
      what === "unknown" ? "unknown, not touched" : dryRun ? "to be removed" : "removed";
    lines.push(`${state}: object at ${locationName}, ${bytesText(bytes)}: ${key}`);
  }
  lines.push(...problems);
  if (expired > 0) {
    lines.push(`${countedText(expired, "expired upload")}${dryRun ? "" : ", abandoned now"}`);
  }
  if (lines.length === 0) lines.push("nothing to remove");
  return lines.map(printable).join("\n");
}

import type { CampaignResult } from "./campaign.ts";

/** The figures of a campaign, and its first violations, for people. */
export function describeResult(result: CampaignResult): string {
  const ready = result.readyMs.toSorted((left, right) => left - right);
  const lines = [
    `${result.cycles} cycles, ${result.acknowledgedRequests} requests acknowledged, ` +
      `${result.unknownRequests} of unknown outcome`,
    `${result.acknowledgedPoints} points acknowledged, ${result.storedPoints} stored and read back`,
    `${result.acknowledgedLines} lines acknowledged, ${result.storedLines} stored and read back`,
    `ready after ${Math.round(ready[ready.length >> 1])} ms in the median, ${Math.round(ready.at(-1)!)} ms at most`,
    `${result.violations.length} violations`,
    ...result.violations.slice(0, 20).map((violation) => `  ${violation}`),
  ];
  return lines.join("\n");
}

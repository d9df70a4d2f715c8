import type { ComparedSummary, DifferenceReply } from "@lossless/protocol";

/** A reply of the service about three experiments, with the part that a test is about. */
export function replyOf(part: Partial<DifferenceReply>): DifferenceReply {
  return {
    experiments: ["a", "b", "c"].map((id) => ({
      experimentId: id,
      slug: `slug-${id}`,
      name: null,
    })),
    found: 3,
    keys: [],
    differingKeys: part.keys?.length ?? 0,
    equalKeys: 0,
    hiddenKeys: 0,
    uncomparedValues: 0,
    metrics: [],
    metricsFound: part.metrics?.length ?? 0,
    asOfMs: 0,
    behind: 0,
    late: 0,
    ...part,
  };
}

export function summaryOf(part: Partial<ComparedSummary>): ComparedSummary {
  const steps = { firstStep: 0, lastStep: 9, minStep: 5, maxStep: 1_234 };
  return { points: 10, first: 1, last: 1, min: 1, max: 1, mean: 1, ...steps, ...part };
}

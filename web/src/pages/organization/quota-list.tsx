import type { UsageViewReply } from "@lossless/client";
import { bytesText, countText } from "../../parts/words.ts";

const words = {
  bytes: "Bytes",
  experiments: "Experiments",
  partitions: "Metadata partitions",
  uploads: "Pending uploads",
} as const;

/** Use of each quota, including those without a maximum. */
export function QuotaList({ quota }: { quota: UsageViewReply["quota"] }) {
  return (
    <section aria-labelledby="quota">
      <h2 id="quota">Quota</h2>
      <p class="soft">
        What the organization uses of the service. Bytes in the organization's own buckets do not
        count. The operator of the service sets the limits.
      </p>
      <ul class="quota">
        {quota.map(({ kind, used, maximum }) => {
          const text = (value: number) => (kind === "bytes" ? bytesText(value) : countText(value));
          return (
            <li key={kind}>
              <span>{words[kind]}</span>
              {maximum === null ? (
                <span>{text(used)}, no limit</span>
              ) : (
                <>
                  <meter
                    min={0}
                    max={Math.max(1, maximum)}
                    high={maximum * 0.9}
                    value={used}
                    aria-label={`${words[kind]}: ${text(used)} of ${text(maximum)}`}
                  />
                  <span class={used >= maximum ? "bad" : undefined}>
                    {text(used)} of {text(maximum)}
                    {used >= maximum && ": used up"}
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

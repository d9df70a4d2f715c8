import type { TriedRetentionRule } from "@lossless/client";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";

interface Props {
  /** Name of the rule; empty while it has none. */
  name: string;
  tried: TriedRetentionRule;
  onClose: () => void;
}

/** The items that a rule would trash now, and why; nothing was trashed. */
export function TriedRule({ name, tried: { finds, total, behind }, onClose }: Props) {
  return (
    <Dialog
      title={`What ${name === "" ? "this rule" : name} would move to the trash now`}
      onClose={onClose}
    >
      <p>
        {total === 0
          ? "The rule would move nothing now."
          : `The rule would move ${countedText(total, "item")} now.`}
      </p>
      {behind > 0 && (
        <p class="hint">
          The summaries of {countedText(behind, "experiment")} are not ready yet. A rule with a
          query or a metric waits for them.
        </p>
      )}
      {finds.length > 0 && (
        <ul class="tried" tabIndex={0} aria-label="Items the rule would move">
          {finds.map((find) => (
            <Find key={find.subject} find={find} />
          ))}
        </ul>
      )}
      {total > finds.length && <p>And {countText(total - finds.length)} more.</p>}
    </Dialog>
  );
}

function Find({ find }: { find: TriedRetentionRule["finds"][number] }) {
  const { subject, name, experimentName, version, points, bytes, sinceMs, why } = find;
  const address =
    version === null
      ? `/experiments/${encodeURIComponent(subject)}`
      : artifactAddress(name, { version });
  return (
    <li>
      <a href={address}>{version === null ? (experimentName ?? name) : `${name} ${version}`}</a>{" "}
      <span class="soft">
        {version === null ? countedText(points, "point") : bytesText(bytes)},{" "}
        <time dateTime={new Date(sinceMs).toISOString()} title={timeText(sinceMs)}>
          since {durationText(Date.now() - sinceMs)}
        </time>
        : {why}
      </span>
    </li>
  );
}

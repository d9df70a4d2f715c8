import { Copy } from "../../../parts/copy.tsx";
import { spanText, timeText } from "../../../parts/words.ts";
import { timesOf } from "../times.ts";
import type { Captured } from "./captured.ts";
import { Card } from "./card.tsx";
import { FactList } from "./facts.tsx";
import type { OverviewProps } from "./overview-props.ts";

interface Props extends Pick<OverviewProps, "record" | "attributes"> {
  captured: Captured;
}

/** The person, host and command that started the run, and its times. */
export function RunCard({ record, attributes, captured }: Props) {
  const { user, host, command, directory } = captured;
  const { beganAtMs, endedAtMs } = timesOf(record, attributes);
  return (
    <Card title="Run">
      <FactList
        facts={[
          { name: "started by", content: user && <bdi>{user}</bdi> },
          { name: "host", content: host && <bdi>{host}</bdi> },
          {
            name: "command",
            content: command && (
              <>
                <code class="command">
                  {command.split(" ").map((word, at) => (
                    <>
                      {at > 0 && " "}
                      <span>{word}</span>
                    </>
                  ))}
                </code>{" "}
                <Copy text={command} label="copy" name="copy the command" />
              </>
            ),
          },
          { name: "directory", content: directory && <code>{directory}</code> },
          { name: "began", content: timeText(beganAtMs) },
          ...(endedAtMs === null
            ? []
            : [
                { name: "ended", content: timeText(endedAtMs) },
                { name: "took", content: spanText(Math.max(1_000, endedAtMs - beganAtMs)) },
              ]),
        ]}
      />
    </Card>
  );
}

import type { EditReply } from "@lossless/client";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import type { Pointed } from "../../chart/cursor/board.ts";
import { useColours } from "../../colours/use-colours.tsx";
import { Share } from "../../guests/share.tsx";
import { SavedViews } from "../../saved/saved-views.tsx";
import { countedText, countText } from "../../parts/words.ts";
import { readCompareAddress } from "./compare-address.ts";
import { ComparedList } from "./compared-list.tsx";
import { panels } from "./panels.tsx";
import { useCompared, type Compared } from "./use-compared.ts";

/** `/compare`: up to a hundred experiments side by side. */
export function ComparePage({ service, location }: PageProps) {
  const address = readCompareAddress((name) => location.parameter(name));
  const [edited, setEdited] = useState<readonly EditReply[]>([]);
  const colours = useColours(service, ({ replies }) => setEdited([...edited, ...replies]));
  const { compared, refusal } = useCompared(service, address, edited);
  const pointed = useSignal<Pointed | undefined>(undefined);
  const problem = refusal ?? service.changes.problem.value;
  const count = compared?.experiments.length;
  useEffect(() => {
    document.title = count === undefined ? "Compare · Lossless" : `Compare ${count} · Lossless`;
  }, [count]);
  const shown = panels.filter(
    ({ isForMembers }) => isForMembers !== true || service.visit === undefined,
  );
  if (address.asked === undefined) return <NoSelection />;
  if (compared === undefined) return <p class="waiting">{problem ?? "Loading experiments …"}</p>;
  return (
    <main class="compare" style={{ "--letters": longestName(compared) }}>
      <ComparedList {...{ compared, address, location, pointed }} onColour={colours.choose} />
      {colours.dialog}
      <div class="panels">
        <div class="heading">
          {compared.experiments.length > 0 && (
            <nav class="jumps" aria-label="Parts of the comparison">
              {shown.map(({ title, opening }, at) => (
                <button
                  key={title}
                  type="button"
                  onClick={() => {
                    const opened = opening?.((name) => location.parameter(name));
                    if (opened !== undefined) location.change(opened, true);
                    showPart(at);
                  }}
                >
                  {title}
                </button>
              ))}
            </nav>
          )}
          <div class="choices views" role="group" aria-label="Views">
            <SavedViews service={service} location={location} />
            <Share
              service={service}
              what={countedText(compared.experiments.length, "experiment")}
              shown={{ experimentIds: compared.experiments.map((one) => one.experimentId) }}
            />
          </div>
        </div>
        <Notices compared={compared} problem={problem} />
        {compared.experiments.length > 0 &&
          shown.map(({ title, Panel }) => (
            <div key={title} class="panel" tabIndex={-1}>
              <Panel {...{ service, location, compared, address, pointed }} />
            </div>
          ))}
      </div>
    </main>
  );
}

/** Letters of the longest name, for which the list has room. */
function longestName({ experiments }: Compared): number {
  return Math.max(0, ...experiments.map(({ name, slug }) => (name ?? slug).length));
}

/** Goes to a part of the page, with the keyboard too. */
function showPart(at: number): void {
  const part = document.querySelectorAll<HTMLElement>(".compare .panels > .panel")[at];
  part.scrollIntoView();
  part.focus({ preventScroll: true });
}

/** Sentences about what differs from the request. */
function Notices({ compared, problem }: { compared: Compared; problem: string | undefined }) {
  const { experiments, cut, unknown } = compared;
  const words = useMemo(() => {
    const said: string[] = [];
    if (cut !== undefined)
      said.push(
        `Showing the first ${cut.shown} of ${countText(cut.of)} experiments. Groups by a key are means over all ${countText(cut.of)}.`,
      );
    if (unknown.length > 0) said.push(unknownText(unknown));
    if (experiments.length === 0 && unknown.length === 0) said.push("No experiments found.");
    return said;
  }, [compared]);
  return (
    <>
      {words.length > 0 && (
        <p class="said" role="status">
          {words.join(" ")}
        </p>
      )}
      {problem !== undefined && (
        <p class="said" role="alert">
          not up to date: {problem}
        </p>
      )}
    </>
  );
}

function unknownText([one, ...others]: readonly string[]): string {
  const rest = others.length === 0 ? "" : ` and ${countText(others.length)} more`;
  return `Left out, because this organization does not have them: ${one}${rest}.`;
}

function NoSelection() {
  return (
    <main class="failure">
      <h1>Nothing to compare yet</h1>
      <p>
        Tick experiments in the table, then press “compare” or <kbd>c</kbd>. If none is ticked, the
        experiments that the query finds are compared.
      </p>
      <p>
        <a href="/experiments">Show all experiments</a>
      </p>
    </main>
  );
}

import { useEffect, useMemo } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { SavedViews } from "../../saved/saved-views.tsx";
import { countText } from "../../parts/words.ts";
import { readCompareAddress } from "./compare-address.ts";
import { ComparedList } from "./compared-list.tsx";
import { panels } from "./panels.tsx";
import { useCompared, type Compared } from "./use-compared.ts";

/** `/compare`: up to a hundred experiments side by side. */
export function ComparePage({ service, location }: PageProps) {
  const address = readCompareAddress((name) => location.parameter(name));
  const { compared, refusal } = useCompared(service, address);
  const problem = refusal ?? service.changes.problem.value;
  const count = compared?.experiments.length;
  useEffect(() => {
    document.title = count === undefined ? "Compare · Lossless" : `Compare ${count} · Lossless`;
  }, [count]);
  if (address.asked === undefined) return <NoSelection />;
  if (compared === undefined) return <p class="waiting">{problem ?? "Loading experiments …"}</p>;
  return (
    <main class="compare">
      <ComparedList {...{ compared, address, location }} />
      <div class="panels">
        <div class="choices views" role="group" aria-label="Views">
          <SavedViews service={service} location={location} />
        </div>
        <Notices compared={compared} problem={problem} />
        {compared.experiments.length > 0 &&
          panels.map(({ title, Panel }) => (
            <Panel key={title} {...{ service, location, compared, address }} />
          ))}
      </div>
    </main>
  );
}

/** Sentences about what differs from the request. */
function Notices({ compared, problem }: { compared: Compared; problem: string | undefined }) {
  const { experiments, cut, unknown } = compared;
  const words = useMemo(() => {
    const said: string[] = [];
    if (cut !== undefined)
      said.push(
        `Showing the first ${cut.shown} of ${countText(cut.of)} experiments. They are not grouped, because means would leave out the others. Narrow the query to ${cut.shown} or fewer to group them.`,
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
        Tick experiments in the table and press <kbd>c</kbd>. If none is ticked, <kbd>c</kbd>{" "}
        compares the experiments that the query finds.
      </p>
      <p>
        <a href="/experiments">Show all experiments</a>
      </p>
    </main>
  );
}

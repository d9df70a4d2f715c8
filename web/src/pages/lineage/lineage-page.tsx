import type { LineageGraph } from "@lossless/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PageProps } from "../../page.ts";
import { useRead } from "../../parts/use-read.ts";
import { countedText, fromBeforeText } from "../../parts/words.ts";
import { folded } from "./folded.ts";
import { Graph } from "./graph.tsx";
import { Levels } from "./levels.tsx";
import { addressOf } from "./node-words.ts";

const depths = ["1", "2", "3", "4", "6", "10", "20"];
const depthUsual = "4";

/** `/lineage?run=&artifact=&version=&depth=` */
export function LineagePage({ service, location }: PageProps) {
  const run = location.parameter("run");
  const artifact = location.parameter("artifact");
  const version = location.parameter("version") ?? "latest";
  const depth = location.parameter("depth") ?? depthUsual;
  const from = run !== undefined ? { experimentId: run } : { artifact: artifact ?? "", version };
  const { found, problem } = useRead(
    (stopped) => service.client.lineage.graph({ ...from, depth: Number(depth) || 4 }, stopped),
    [run, artifact, version, depth],
  );
  const [opened, setOpened] = useState<ReadonlyMap<string, number>>(new Map());
  const graph = useMemo(() => found && folded(found, opened), [found, opened]);
  const root = found?.nodes.find(({ id }) => id === found.root);
  const name = root === undefined ? "" : `${root.name} ${root.version ?? ""}`.trim();
  useEffect(() => {
    document.title = `${name === "" ? "Lineage" : `Lineage of ${name}`} · Lossless`;
  }, [name]);
  useEffect(() => setOpened(new Map()), [run, artifact, version]);
  const open = (id: string) => setOpened((now) => new Map(now).set(id, (now.get(id) ?? 0) + 1));
  const address = root && addressOf(root);
  return (
    <main class="lineage">
      <h1>Lineage of {address === undefined ? <bdi>{name}</bdi> : <a href={address}>{name}</a>}</h1>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {found === undefined || graph === undefined ? (
        problem === undefined && <p class="waiting">Loading the lineage …</p>
      ) : (
        <>
          <p class="facts">
            <label>
              steps{" "}
              <select
                value={depth}
                onChange={(event) => location.change({ depth: event.currentTarget.value })}
              >
                {depths.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </label>{" "}
            <span class="count">
              {countedText(found.nodes.length, "node")}, {countedText(found.edges.length, "link")}
              {missingText(found)}
            </span>
            {opened.size > 0 && (
              <>
                {" "}
                <button type="button" onClick={() => setOpened(new Map())}>
                  fold again
                </button>
              </>
            )}
          </p>
          {found.edges.length === 0 ? (
            <p class="waiting">
              Nothing is linked to it yet. Runs are linked to what they log by log_artifact or push,
              and to what they read by use_artifact, load_artifact or pull --for.
            </p>
          ) : (
            <>
              <Graph root={found.root} graph={graph} onOpen={open} />
              <Levels graph={graph} onOpen={open} />
            </>
          )}
        </>
      )}
    </main>
  );
}

function missingText({ isCut, isBehind }: LineageGraph): string {
  const cut = isCut ? "; more were left out: what is nearest is shown" : "";
  return isBehind ? `${cut}; ${fromBeforeText}: links may be missing` : cut;
}

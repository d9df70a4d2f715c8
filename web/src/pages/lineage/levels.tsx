import type { Folded, FoldedGraph } from "./folded.ts";
import { graphFrom } from "./graph.tsx";
import { addressOf, detailOf, titleOf } from "./node-words.ts";

interface Props {
  graph: FoldedGraph;
  onOpen: (group: string) => void;
}

/** The graph in words, a list for each column. */
export function Levels({ graph, onOpen }: Props) {
  const names = new Map(graph.groups.map((group) => [group.id, titleOf(group)]));
  const columns = Map.groupBy(graph.groups, ({ distance }) => distance);
  const order = [...columns.keys()].toSorted((one, two) => one - two);
  return (
    <div class="lineage-levels">
      {order.map((distance) => (
        <section key={distance} aria-label={titleOfLevel(distance)}>
          <h2>{titleOfLevel(distance)}</h2>
          <ul>
            {columns.get(distance)!.map((group) => (
              <li key={group.id}>
                <Entry {...{ group, onOpen }} />
                <Links of={group.id} {...{ graph, names }} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function titleOfLevel(distance: number): string {
  if (distance === 0) return "From here";
  const steps = `${Math.abs(distance)} ${Math.abs(distance) === 1 ? "step" : "steps"}`;
  return distance < 0 ? `Made of, ${steps} before` : `Used for, ${steps} after`;
}

function Entry({ group, onOpen }: { group: Folded; onOpen: (group: string) => void }) {
  const { members, id } = group;
  if (members.length > 1) {
    return (
      <>
        <button type="button" onClick={() => onOpen(id)}>
          {titleOf(group)}
        </button>{" "}
        <span class="count">{detailOf(group)}</span>
      </>
    );
  }
  const address = addressOf(members[0]);
  const from = members[0].distance === 0 ? undefined : graphFrom(group);
  return (
    <>
      {address === undefined ? <bdi>{titleOf(group)}</bdi> : <a href={address}>{titleOf(group)}</a>}{" "}
      <span class="count">{detailOf(group)}</span>
      {from !== undefined && (
        <>
          {" "}
          <a class="from" href={from} aria-label={`lineage from ${titleOf(group)}`}>
            lineage
          </a>
        </>
      )}
    </>
  );
}

interface LinksProps {
  of: string;
  graph: FoldedGraph;
  names: ReadonlyMap<string, string>;
}

/** Inputs of a node, which the lines of the drawing show. */
function Links({ of, graph: { edges }, names }: LinksProps) {
  const inputs = edges.filter(({ target }) => target === of);
  if (inputs.length === 0) return null;
  const words = inputs.slice(0, linksShown).map(({ source, role }) => {
    const name = names.get(source) ?? "";
    return role === "" ? name : `${name} as ${role}`;
  });
  if (inputs.length > linksShown) words.push("…");
  return <small> from {words.join(", ")}</small>;
}

const linksShown = 5;

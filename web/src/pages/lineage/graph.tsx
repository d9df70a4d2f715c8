import { useLayoutEffect, useRef } from "preact/hooks";
import { lineageAddress } from "./lineage-address.ts";
import type { FoldedGraph } from "./folded.ts";
import { addressOf, detailOf, titleOf } from "./node-words.ts";
import { nodeHeight, nodeWidth, placedGroups, type PlacedGroup } from "./placed-groups.ts";

interface Props {
  root: string;
  graph: FoldedGraph;
  onOpen: (group: string) => void;
}

/**
 * The graph, from what came first on the left. Arrow keys go from node to node: up and down in a
 * column, left and right along a link; the list beside it has the same in words.
 */
export function Graph({ root, graph, onOpen }: Props) {
  const { groups, width, height } = placedGroups(graph);
  const byId = new Map(groups.map((group) => [group.id, group]));
  const frame = useRef<HTMLDivElement>(null);
  const first = byId.get(root) ?? groups[0];
  // The first node stays in sight: in the middle of the columns, and at first of the rows, too.
  const middle = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null || first === undefined) return;
    current.scrollTop = (current.scrollHeight - current.clientHeight) / 2;
    if (middle.current === root) return;
    middle.current = root;
    current.scrollLeft = first.x + (nodeWidth - current.clientWidth) / 2;
  }, [root, graph]);
  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset["node"];
    const here = id === undefined ? undefined : byId.get(id);
    const next = here && nextOf(event.key, here, groups, graph);
    if (next === undefined) return;
    event.preventDefault();
    const nodes = frame.current?.querySelectorAll<HTMLElement>("[data-node]") ?? [];
    [...nodes].find((node) => node.dataset["node"] === next.id)?.focus();
  };
  return (
    <div class="lineage-frame" ref={frame} onKeyDown={onKeyDown}>
      <div class="lineage-graph" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg {...{ width, height }} aria-hidden="true">
          {graph.edges.map(({ source, target, count }) => {
            const from = byId.get(source);
            const to = byId.get(target);
            if (from === undefined || to === undefined) return null;
            return (
              <path
                key={`${source} ${target}`}
                d={lineOf(from, to)}
                class={count > 1 ? "several" : undefined}
              />
            );
          })}
        </svg>
        {groups.map((group) => (
          <Node
            key={group.id}
            {...{ group, onOpen }}
            isRoot={group.id === root}
            isFirst={group.id === first?.id}
          />
        ))}
      </div>
    </div>
  );
}

interface NodeProps {
  group: PlacedGroup;
  isRoot: boolean;
  isFirst: boolean;
  onOpen: (group: string) => void;
}

function Node({ group, isRoot, isFirst, onOpen }: NodeProps) {
  const { id, members, kind, x, y } = group;
  const isGone = members[0].state !== "present";
  const content = (
    <>
      <b>{titleOf(group)}</b>
      <span>{detailOf(group)}</span>
    </>
  );
  const shared = {
    "data-node": id,
    class: `lineage-node of-${kind}${isGone ? " lineage-gone" : ""}`,
    style: {
      transform: `translate(${x}px, ${y}px)`,
      width: `${nodeWidth}px`,
      height: `${nodeHeight}px`,
    },
    tabIndex: isFirst ? 0 : -1,
    title: `${titleOf(group)}\n${detailOf(group)}`,
    ...(isRoot && ({ "aria-current": "true" } as const)),
  };
  if (members.length > 1) {
    return (
      <button type="button" {...shared} onClick={() => onOpen(id)}>
        {content}
      </button>
    );
  }
  const address = addressOf(members[0]);
  return address === undefined ? (
    <span {...shared} role="note">
      {content}
    </span>
  ) : (
    <a {...shared} href={address}>
      {content}
    </a>
  );
}

/** The address of the graph that begins at a node; undefined for what has none. */
export function graphFrom({ members }: Pick<PlacedGroup, "members">): string | undefined {
  const [{ kind, experimentId, name, version }] = members;
  if (members.length > 1) return undefined;
  if (kind === "run") return lineageAddress({ run: experimentId! });
  return kind === "version" ? lineageAddress({ artifact: name, version: version! }) : undefined;
}

function lineOf(from: PlacedGroup, to: PlacedGroup): string {
  const x1 = from.x + nodeWidth;
  const y1 = from.y + nodeHeight / 2;
  const x2 = to.x;
  const y2 = to.y + nodeHeight / 2;
  const bend = Math.max(24, Math.abs(x2 - x1) / 2);
  return `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`;
}

function nextOf(
  key: string,
  here: PlacedGroup,
  groups: readonly PlacedGroup[],
  { edges }: FoldedGraph,
): PlacedGroup | undefined {
  const nearest = (some: PlacedGroup[]) =>
    some.toSorted((one, two) => Math.abs(one.y - here.y) - Math.abs(two.y - here.y))[0];
  const column = groups.filter(({ x }) => x === here.x);
  switch (key) {
    case "ArrowUp":
      return nearest(column.filter(({ y }) => y < here.y));
    case "ArrowDown":
      return nearest(column.filter(({ y }) => y > here.y));
    case "ArrowLeft": {
      const ids = edges.filter(({ target }) => target === here.id).map(({ source }) => source);
      return nearest(groups.filter(({ id, x }) => ids.includes(id) && x < here.x));
    }
    case "ArrowRight": {
      const ids = edges.filter(({ source }) => source === here.id).map(({ target }) => target);
      return nearest(groups.filter(({ id, x }) => ids.includes(id) && x > here.x));
    }
    case "Home":
      return groups.find(({ distance }) => distance === 0);
    default:
      return undefined;
  }
}

import type { LineageGraph, LosslessClient } from "@lossless/client";
import { UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { countedText, fromBeforeText, printable } from "../../output.ts";
import { experimentOfSlug } from "../../named-experiment.ts";

export const lineage = serviceCommand({
  usage: "lineage SLUG|ARTIFACT[@VERSION] [options]",
  help: `
Shows what a run used and made, or which run made a version of an artifact (the latest, a name or an alias) and which
used it, and goes on from there: up to what that was made of, down to what was made of it. An experiment goes before
an artifact of the same name.

  --up, --down       only what it was made of, or only what was made of it
  --depth N          links to follow (4)
  --nodes N          runs, versions, data sets and models at most (200)`,
  options: {
    up: { type: "boolean" },
    down: { type: "boolean" },
    depth: { type: "string" },
    nodes: { type: "string" },
  },
  async run(invocation) {
    const { values, output, positionals } = invocation;
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) {
      throw new UsageError("name a run or an artifact: lossless lineage SLUG|ARTIFACT[@VERSION]");
    }
    const isUp = values.flag("up");
    if (isUp && values.flag("down")) throw new UsageError("give --up or --down, not both");
    const direction = isUp ? "up" : values.flag("down") ? "down" : "both";
    const client = clientOf(invocation);
    const found = await client.lineage.graph({
      ...(await namedIn(client, name)),
      direction,
      depth: values.integer("depth", 4, 1, 20),
      nodes: values.integer("nodes", 200, 1, 2_000),
    });
    output.answer(found, () => graphText(found));
  },
});

/** Turns the word into a run, or into a version of an artifact. */
async function namedIn(client: LosslessClient, name: string) {
  const experiment = await experimentOfSlug(client, name);
  if (experiment !== undefined) return { experimentId: experiment.experimentId };
  const at = name.lastIndexOf("@");
  if (at <= 0) return { artifact: name, version: "latest" };
  const artifact = name.slice(0, at);
  const word = name.slice(at + 1);
  if (word === "latest") return { artifact, version: word };
  // A version by its name, or the alias of that name.
  const aliases = await client.artifacts.aliases(artifact);
  return { artifact, version: aliases.some(({ alias }) => alias === word) ? `@${word}` : word };
}

/** A tree to either side of the node from which the walk began; what was told is not told again. */
function graphText({ root, nodes, edges, isCut, isBehind }: LineageGraph): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edgesFrom = {
    up: Map.groupBy(edges, ({ target }) => target),
    down: Map.groupBy(edges, ({ source }) => source),
  };
  const lines: string[] = [];
  const told = new Set<string>();
  const tell = (id: string, way: "up" | "down", depth: number, link: string) => {
    const node = byId.get(id);
    if (node === undefined) return;
    const again = told.has(`${way} ${id}`);
    told.add(`${way} ${id}`);
    const left = node.leftOut > 0 && !again ? ` (and ${node.leftOut} more)` : "";
    lines.push(`${"  ".repeat(depth)}${link}${nodeText(node)}${again ? " (see above)" : left}`);
    if (again) return;
    for (const edge of edgesFrom[way].get(id) ?? []) {
      const there = way === "up" ? edge.source : edge.target;
      const role = edge.role === "" ? "" : `${printable(edge.role)}: `;
      tell(there, way, depth + 1, `${way === "up" ? "<-" : "->"} ${role}`);
    }
  };
  if (edgesFrom.up.has(root) || !edgesFrom.down.has(root)) {
    lines.push("made of");
    tell(root, "up", 1, "");
  }
  if (edgesFrom.down.has(root)) {
    lines.push("used for");
    tell(root, "down", 1, "");
  }
  if (isCut) lines.push(`cut at ${countedText(nodes.length, "node")}: --nodes shows more`);
  if (isBehind) lines.push(`${fromBeforeText}: links may be missing`);
  return lines.join("\n");
}

function nodeText({ kind, name, version, digest, state, slug }: LineageGraph["nodes"][number]) {
  const states = {
    present: "",
    trashed: " [in the trash]",
    deleted: " [deleted]",
    unknown: " [not here]",
  };
  const words = {
    run: `run ${slug ?? name}${slug !== undefined && slug !== name ? ` (${name})` : ""}`,
    version: `${name}@${version}`,
    model: `logged model ${name}`,
    dataset: `data set ${name} ${digest}`,
  };
  return printable(words[kind]) + states[state];
}

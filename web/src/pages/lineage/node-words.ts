import type { LineageNode } from "@lossless/client";
import { artifactAddress } from "../../parts/artifact-address.ts";
import { countText } from "../../parts/words.ts";
import type { Folded } from "./folded.ts";

const kinds = {
  run: ["run", "runs"],
  version: ["version", "versions"],
  model: ["logged model", "logged models"],
  dataset: ["data set", "data sets"],
} as const;

const states = { present: "", trashed: "in the trash", deleted: "deleted", unknown: "not here" };

/** The first line of a node: its name, or what and how many it stands for. */
export function titleOf({ members, kind }: Folded): string {
  return members.length === 1 ? members[0].name : `${countText(members.length)} ${kinds[kind][1]}`;
}

/** The second line. */
export function detailOf({ members, kind }: Folded): string {
  if (members.length > 1) {
    const names = new Set(members.map(({ name }) => name));
    return names.size === 1 ? [...names][0] : `${members[0].name}, …`;
  }
  const [{ version, digest, status, state, leftOut }] = members;
  const more = leftOut === 0 ? "" : `${countText(leftOut)} more`;
  const words = [kinds[kind][0], version ?? digest ?? status ?? "", states[state], more];
  return words.filter((word) => word !== "").join(" · ");
}

/** The page of a node; undefined: it has none, or is deleted. */
export function addressOf(node: LineageNode): string | undefined {
  const { kind, name, version, experimentId, state } = node;
  if (state !== "present") return undefined;
  if (kind === "run") return `/experiments/${encodeURIComponent(experimentId!)}`;
  if (kind === "version") return artifactAddress(name, { version: version! });
  return undefined;
}

import { limits } from "@lossless/protocol/limits";
import type { Service } from "../../signed-in.ts";

/** Trashes all present versions of an artifact, and returns their number. */
export async function trashAllVersions(
  { client }: Pick<Service, "client">,
  artifact: string,
): Promise<number> {
  const names: string[] = [];
  let after: string | undefined;
  do {
    const asked = { limit: limits.versionsPerPageMax, ...(after !== undefined && { after }) };
    const { versions, next } = await client.views.artifact(artifact, asked);
    names.push(...versions.map(({ version }) => version));
    after = next ?? undefined;
  } while (after !== undefined);
  for (let at = 0; at < names.length; at += limits.trashedAtOnceMax)
    await client.trash.versions(artifact, names.slice(at, at + limits.trashedAtOnceMax));
  return names.length;
}

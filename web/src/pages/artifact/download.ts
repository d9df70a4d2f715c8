import type { VersionFileName } from "@lossless/client";
import { saveAddress } from "../../parts/save-file.ts";
import type { Service } from "../../signed-in.ts";

/** Saves a file from where it is stored, by an address that is good for an hour. */
export async function download({ client }: Service, name: VersionFileName): Promise<void> {
  const { url } = await client.views.fileAddress(name);
  saveAddress(name.file.slice(name.file.lastIndexOf("/") + 1), url);
}

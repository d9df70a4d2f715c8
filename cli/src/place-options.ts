import type { Place } from "@lossless/client";
import type { CommandOptions, Invocation } from "./command.ts";

export const placeOptions: CommandOptions = {
  cloud: { type: "string" },
  region: { type: "string" },
  source: { type: "string" },
};

export const placeHelp = `
  --cloud C          the cloud of this machine (LOSSLESS_CLOUD; local, the built-in location's cloud)
  --region R         the region in that cloud (LOSSLESS_REGION; local)
  --source S         a label of this machine or job (its host name)`;

/**
 * The place from the options; absent values come from the variables, then the client's defaults.
 */
export function placeOptionsOf({ values }: Invocation): Partial<Place> {
  const place: Partial<Place> = {};
  for (const word of ["cloud", "region", "source"] as const) {
    const value = values.text(word);
    if (value !== undefined) place[word] = value;
  }
  return place;
}

import type { StoreCoordinates } from "./store.ts";

export interface RealStore extends StoreCoordinates {
  name: "radosgw" | "swift";
}

/** The variable in which `npm run test:stores` hands the running stores to the files it runs. */
export const storesVariable = "LOSSLESS_TEST_STORES";

/** The S3 stores that a `*.stores.ts` file has to pass on, each of them. */
export function realStores(): RealStore[] {
  return runningStores().filter((store): store is RealStore => store.name !== "azurite");
}

/** Azurite, where it runs: the name of its account stands in the place of an access key. */
export function realAzurites(): StoreCoordinates[] {
  return runningStores().filter(({ name }) => name === "azurite");
}

function runningStores(): StoreCoordinates[] {
  const text = process.env[storesVariable];
  if (text === undefined)
    throw new Error(`${storesVariable} is not set: run this file with npm run test:stores`);
  return JSON.parse(text) as StoreCoordinates[];
}

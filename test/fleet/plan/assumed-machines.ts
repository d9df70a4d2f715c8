import type { Machines } from "../model/fleet.ts";

/** Machines of a fleet that nobody measured; each has an option of `npm run simulate`. */
export const assumedMachines: Machines = {
  nodeCores: 4,
  serverCores: 8,
  syncS: 0.001,
  logBytesPerS: 200e6,
  networkS: 0.000_25,
  putS: 0.05,
};

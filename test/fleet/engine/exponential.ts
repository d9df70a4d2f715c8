import type { Random } from "../../random.ts";

/** Times between arrivals that know nothing of each other. */
export function exponential(random: Random, mean: number): number {
  return -mean * Math.log((random.bits() + 1) / 2 ** 32);
}

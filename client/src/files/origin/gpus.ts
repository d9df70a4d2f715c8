import type { Programs } from "./programs.ts";

/** Returns models, their number and the driver of NVIDIA's devices. */
export async function gpuFacts(programs: Programs): Promise<Record<string, unknown>> {
  const words = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"];
  const answer = await programs.ask(words, 65_536);
  const devices = (answer?.toString("utf8") ?? "")
    .split("\n")
    .map((line) => /^(.+),\s*([^,]+)$/.exec(line.trim()))
    .filter((found) => found !== null);
  const [first] = devices;
  if (first === undefined) return {};
  return {
    gpus: [...new Set(devices.map(([, name]) => name))],
    gpuCount: devices.length,
    driver: first[2],
  };
}

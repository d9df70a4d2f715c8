import { limits } from "@lossless/protocol/limits";

/** Returns MLflow's key of a partition: the name, followed by its metadata if any. */
export function keyOf(name: string, meta: string): string {
  if (meta === "{}") return name;
  const pairs = Object.entries(JSON.parse(meta) as Record<string, string>);
  return `${name}{${pairs.map(([key, value]) => `${key}=${value}`).join(",")}}`;
}

/** The series that may have a partition of this key. More than one of their partitions can. */
export function namesIn(key: string): string[] {
  const names = [key];
  if (!key.endsWith("}")) return names;
  for (let at = key.indexOf("{"); at >= 0; at = key.indexOf("{", at + 1)) {
    if (at > limits.metricNameBytesMax) break;
    if (at > 0) names.push(key.slice(0, at));
  }
  return names;
}

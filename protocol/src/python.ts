import { limits } from "./limits.ts";

/** `python/src/lossless/_wire.py`: the names and numbers of the wire, for the Python client. */
export function pythonWire(): string {
  const constants = Object.entries(limits).map(
    ([name, value]) => `${constantName(name)} = ${value}`,
  );
  return [
    "# Generated from protocol/ by `npm run generate`: do not edit.",
    '"""Names and limits of the service\'s interface; what each limit means is said in docs/limits.md."""',
    "",
    "from __future__ import annotations",
    "",
    'EVENT_PREFIX = "svc.v2."',
    ...constants,
    "",
  ].join("\n");
}

/** `metricNameBytesMax` is METRIC_NAME_BYTES_MAX. */
function constantName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

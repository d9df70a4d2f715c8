/** The value of a reply; undefined when it is no JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns the member of a reply at the path; undefined where there is none. */
export function memberAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (parent, name) =>
      typeof parent === "object" && parent !== null && Object.hasOwn(parent, name)
        ? (parent as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}

/** The paths below a folder, in the order of both databases: bytes. `0` follows the slash. */
export function below(path: string): { from: string; to: string } {
  return { from: `${path}/`, to: `${path}0` };
}

/** Returns the folders above a path. */
export function above(path: string): string[] {
  const words = path.split("/");
  return words.slice(1).map((_, at) => words.slice(0, at + 1).join("/"));
}

const units = ["kB", "MB", "GB", "TB", "PB"];

/** `412 bytes`, `1.3 GB`: in thousands, as stores bill. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  let size = bytes;
  let unit = "";
  for (const next of units) {
    if (size < 999.5) break;
    size /= 1_000;
    unit = next;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

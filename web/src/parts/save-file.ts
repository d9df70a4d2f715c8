/** A file name for every system: characters that some refuse become hyphens. */
export function fileName(name: string, ending: string): string {
  return `${name.replaceAll(/[\p{Cc}"*/:<>?\\|]/gu, "-")}.${ending}`;
}

/** Milliseconds for which the file is kept; the browser has begun to read it long before. */
const keptMs = 60_000;

/** Makes the browser save a file built by this page, as a download. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  saveAddress(name, address);
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}

/**
 * Makes the browser save the content of an address. One of another host opens beside this page,
 * which stays whatever the other host answers.
 */
export function saveAddress(name: string, address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  if (new URL(address).origin !== window.location.origin) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  link.click();
}
